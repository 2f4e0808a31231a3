/**
 * The price, over that of now, that saved most of those that at least `share` of the rows reached: `best` has what each
 * fell to, `last` where it ended.
 */
export function mostSavingRatio(best: Float64Array, last: Float64Array, share: number): number {
  const sorted = best.slice().sort();
  let most = Number.NEGATIVE_INFINITY;
  let found = 1;
  const least = Math.ceil(share * best.length) - 1;
  for (let at = Math.min(Math.max(least, 0), best.length - 1); at < best.length; at += 1) {
    const ratio = sorted[at] ?? 1;
    let saved = 0;
    for (let row = 0; row < best.length; row += 1) {
      saved += 1 - ((best[row] ?? 0) <= ratio ? ratio : (last[row] ?? 0));
    }
    if (saved <= most) continue;
    most = saved;
    found = ratio;
  }
  return found;
}
