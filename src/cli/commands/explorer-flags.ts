/** Flags of `gastop block` and `gastop tx`. */
export interface ExplorerFlags {
  readonly json?: boolean;
}
