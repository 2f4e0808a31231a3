/** Which of `names` was meant by a misspelt `word`: the one with the fewest slips, fewer than half its letters; else `null`. */
export function closestName(word: string, names: readonly string[]): string | null {
  let closest: string | null = null;
  let fewest = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const count = slips(word, name);
    if (count * 2 < name.length && count < fewest) {
      closest = name;
      fewest = count;
    }
  }
  return closest;
}

/** Letters left out, put in, mistaken or swapped with the next (the Damerau-Levenshtein distance of adjacent swaps). */
function slips(from: string, to: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let at = 1; at <= to.length; at++) {
      const mistaken = from[row - 1] === to[at - 1] ? 0 : 1;
      const swapped = from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      current.push(
        Math.min(
          (last[at] ?? 0) + 1,
          (current[at - 1] ?? 0) + 1,
          (last[at - 1] ?? 0) + mistaken,
          swapped ? (beforeLast[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
