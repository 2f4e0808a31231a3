import { createInterface } from 'node:readline';

/** Asks on stderr and gives the line that is typed; `null` at the end of the input. Rejects when interrupted. */
export function askOn(question: string, interruption: AbortSignal): Promise<string | null> {
  return new Promise((resolve, reject) => {
    // Without keys of its own: Ctrl-C stays a signal.
    const prompt = createInterface({ input: process.stdin, terminal: false });
    const interrupt = () => {
      reject(interruption.reason);
      prompt.close();
    };
    interruption.addEventListener('abort', interrupt, { once: true });
    prompt.once('close', () => {
      interruption.removeEventListener('abort', interrupt);
      resolve(null);
    });
    prompt.once('line', (line) => {
      resolve(line);
      prompt.close();
    });
    process.stderr.write(question);
    if (interruption.aborted) interrupt();
  });
}
