/**
 * The last number of `low`–`high` for which `holds`, where it holds for all up to some number and for none after it;
 * `low - 1` where it holds for none. Asks few where the answer is close to `guess`.
 */
export async function findLast(
  { low, high, guess }: { readonly low: number; readonly high: number; readonly guess: number },
  holds: (number: number) => Promise<boolean>,
): Promise<number> {
  // It holds up to `yes` and from `no` on it does not; steps from the guess double until both are known.
  let yes = low - 1;
  let no = high + 1;
  let at = Math.min(Math.max(guess, low), high);
  for (let step = 1; yes + 1 < no; ) {
    const isYes = await holds(at);
    if (isYes) yes = at;
    else no = at;
    const isBetween = yes >= low && no <= high;
    const next = isBetween ? Math.floor((yes + no) / 2) : isYes ? yes + step : no - step;
    at = Math.min(Math.max(next, yes + 1), no - 1);
    step *= 2;
  }
  return yes;
}
