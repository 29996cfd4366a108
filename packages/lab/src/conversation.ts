/**
 * Questions and answers with a helper process in a namespace: one JSON object a line, answers carry the question's
 * number.
 *
 * The helper's side is in processes/answer-lines.ts. What the questions mean is the callers' business.
 */
import type { Program } from './program.ts';

interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Conversation {
  readonly program: Program;
  readonly #waiting = new Map<number, Waiting>();
  #asked = 0;

  constructor(program: Program) {
    this.program = program;
    program.onLine((line, stream) => stream === 'stdout' && this.#hear(line));
    void program.exited.then(() => this.#end());
  }

  ask<T>(question: object): Promise<T> {
    this.#asked += 1;
    const id = this.#asked;
    return new Promise<T>((resolve, reject) => {
      if (!this.program.isRunning) {
        reject(new Error(`${this.program.name} has ended:\n${this.program.output}`));
        return;
      }
      this.#waiting.set(id, { resolve: (value) => resolve(value as T), reject });
      this.program.write(`${JSON.stringify({ ...question, id })}\n`);
    });
  }

  #hear(line: string): void {
    if (!line.startsWith('{')) return;
    const answer = JSON.parse(line) as Answer;
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.error === undefined) waiting?.resolve(answer.value);
    else waiting?.reject(new Error(`${this.program.name}: ${answer.error}`));
  }

  #end(): void {
    for (const waiting of this.#waiting.values())
      waiting.reject(new Error(`${this.program.name} ended before it answered:\n${this.program.output}`));
    this.#waiting.clear();
  }
}
