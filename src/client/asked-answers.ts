import type * as z from 'zod';
import type { AnswerMemory, Received } from './answer-memory.ts';
import type { CallOptions } from './client.ts';
import { Answer } from './reading/answer.ts';

type Query = Readonly<Record<string, string>>;

/**
 * Makes one kind of question: how its answer is read, and what was read of those that come again unchanged. Its schema is
 * loaded with the first question, while the service thinks.
 */
export type AskedAnswers = <View>(
  schema: () => Promise<z.ZodType>,
  read: (answer: Answer, query: Query) => View,
) => (path: string, query: Query, call: CallOptions) => Promise<View>;

export function askedAnswers(memory: AnswerMemory, host: string, isOwn: boolean): AskedAnswers {
  return (loadSchema, read) => {
    const views = new WeakMap<Received, ReturnType<typeof read>>();
    return async (path, query, { signal }) => {
      const [received, schema] = await Promise.all([
        memory.ask(path, query, signal),
        isOwn ? null : loadSchema(),
      ]);
      const known = views.get(received);
      if (known !== undefined) return known;
      const view = read(new Answer(received.text, { endpoint: path, host, schema }), query);
      views.set(received, view);
      return view;
    };
  };
}
