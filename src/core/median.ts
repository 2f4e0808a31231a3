/** The lower median in expected linear time; reorders `values`. `NaN` for none. */
export function takeMedian(values: Float64Array): number {
  return takeRanked(values, Math.max(Math.ceil(values.length / 2) - 1, 0));
}

/** The one that `rank` others (from 0) come before, in expected linear time; reorders `values`. `NaN` where there is none. */
export function takeRanked(values: Float64Array, rank: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const pivot = values[(low + high) >>> 1] ?? 0;
    let left = low;
    let right = high;
    while (left <= right) {
      while ((values[left] ?? pivot) < pivot) left += 1;
      while ((values[right] ?? pivot) > pivot) right -= 1;
      if (left <= right) {
        const held = values[left] ?? 0;
        values[left] = values[right] ?? 0;
        values[right] = held;
        left += 1;
        right -= 1;
      }
    }
    if (rank <= right) high = right;
    else if (rank >= left) low = left;
    else break;
  }
  return values[rank] ?? Number.NaN;
}
