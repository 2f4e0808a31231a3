/** The used part of asciichart 1.5; the package has no types. */
declare module 'asciichart' {
  interface PlotConfig {
    readonly min?: number;
    readonly max?: number;
    readonly height?: number;
    readonly offset?: number;
    readonly format?: (value: number, row: number) => string;
    /** `┼ ┤ ╶ ╴ ─ ╰ ╭ ╮ ╯ │`, in this order. */
    readonly symbols?: readonly string[];
  }
  const asciichart: {
    plot(series: readonly number[] | readonly (readonly number[])[], config?: PlotConfig): string;
  };
  export default asciichart;
}
