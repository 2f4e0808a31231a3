export type Scope =
  | 'global'
  | 'live'
  | 'chart'
  | 'alerts'
  | 'alert'
  | 'alert-form'
  | 'auto-txs'
  | 'auto-tx'
  | 'auto-tx-form'
  | 'explorer'
  | 'service'
  | 'question'
  | 'secret'
  | 'scroll'
  | 'source';

export interface KeyBinding {
  readonly action: string;
  /**
   * `global` works on every tab; `scroll` in what lies over it; `alert` and `auto-tx` while one is open over its list;
   * `alert-form`, `auto-tx-form`, `question` and `secret` while such a thing is open and takes every key; the others only while they
   * are shown.
   */
  readonly scope: Scope;
  /** Key names as `keyNames` gives them: `q`, `ctrl+c`, `left`, `return`, `tab`, `?`. */
  readonly keys: readonly string[];
  /** How the keys are written for people. */
  readonly label: string;
  /** What it does, in the help overlay. */
  readonly help: string;
  /** The word beside the key in the footer; absent: not in the footer. */
  readonly footer?: string;
  /** How the key is written in the footer where it stands for a pair; default: `label`. */
  readonly footerLabel?: string;
}
