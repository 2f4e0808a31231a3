/** The used part of asciichart 1.5; the package has no types. */
declare module 'asciichart' {
  const asciichart: {
    plot(
      series: readonly number[] | readonly (readonly number[])[],
      /** `symbols`: `┼ ┤ ╶ ╴ ─ ╰ ╭ ╮ ╯ │`, in this order. */
      config: Partial<Record<'min' | 'max' | 'height' | 'offset', number>> & {
        readonly format: (value: number) => string;
        readonly symbols?: readonly string[];
      },
    ): string;
  };
  export default asciichart;
}
