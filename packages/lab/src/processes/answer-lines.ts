/**
 * The helper process's side of a Conversation: reads one JSON question a line, writes one JSON answer a line.
 *
 * Ends the process when its standard input ends, so that a helper never outlives the lab that started it.
 */
import { createInterface } from 'node:readline';

/** What the lines hold is agreed with the process that asks; it is trusted, being the lab itself. */
type Answering<Q> = (question: Q) => unknown;

interface Numbered {
  readonly id: number;
}

export function answerLines(answer: Answering<never>): void {
  const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => void reply(JSON.parse(line) as Numbered, answer as Answering<Numbered>));
  lines.on('close', () => process.exit(0));
}

async function reply(question: Numbered, answer: Answering<Numbered>): Promise<void> {
  try {
    write({ id: question.id, value: await answer(question) });
  } catch (error) {
    write({ id: question.id, error: error instanceof Error ? error.message : String(error) });
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}
