// The command line asks for something that cannot be done: a sentence for people, exit code 2.

export class UsageInvalid extends Error {
  override readonly name = 'UsageInvalid';
}
