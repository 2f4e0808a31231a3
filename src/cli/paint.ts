/** Words in the colours of their meaning, or as they are. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly title: (text: string) => string;
  readonly plain: (text: string) => string;
}

export function paints(colour: boolean): Paint {
  const sgr = (on: number, off: number) => (text: string) =>
    colour ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    good: sgr(32, 39),
    doubtful: sgr(33, 39),
    bad: sgr(31, 39),
    title: sgr(1, 22),
    plain: (text) => text,
  };
}
