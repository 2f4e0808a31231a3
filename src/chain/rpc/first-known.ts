/**
 * The first answer that is not `null`; `null` once all have answered or failed, or after `patienceMs`. Never rejects;
 * none of `answers` is left without somebody who hears of its failure.
 */
export async function firstKnown<T>(
  answers: readonly Promise<T>[],
  patienceMs: number | null,
): Promise<T | null> {
  if (answers.length === 0) return null;
  const found = Promise.any(
    answers.map(async (answer) => {
      const known = await answer;
      if (known === null) throw new Error('nothing is known');
      return known;
    }),
  ).catch(() => null);
  if (patienceMs === null) return found;
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), patienceMs);
  return Promise.race([found, over.promise]).finally(() => clearTimeout(timer));
}
