// A signal between two things of which the sender is made first: what is passed before the receiver is connected
// is dropped, since the receiver looks at everything when it begins.

export class Relay {
  #receiver: (() => void) | undefined;

  connect(receiver: () => void): void {
    this.#receiver = receiver;
  }

  pass(): void {
    this.#receiver?.();
  }
}
