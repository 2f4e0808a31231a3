/** A GET of v1 for the raw view. */
export interface RawQuestion {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}
