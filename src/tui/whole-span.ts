/** How far a history reaches, in whole units (`55 m`, `7 d`): its begin is only known as well as its buckets are wide. */
export function wholeSpan(sec: number): string {
  const units = [
    [1, 's', 60],
    [60, 'm', 60],
    [3_600, 'h', 24],
  ] as const;
  const unit = units.find(([length, , most]) => Math.round(sec / length) < most);
  return unit === undefined ? `${Math.round(sec / 86_400)} d` : `${Math.round(sec / unit[0])} ${unit[1]}`;
}
