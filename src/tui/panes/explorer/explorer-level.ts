import type { SnapshotView } from '../../../client/views/gas.ts';
import type { ExplorerAction } from './explorer-state.ts';

/** What each level of the Explorer is given. */
export interface ExplorerLevelProps {
  readonly snapshot: SnapshotView;
  readonly symbol: string;
  readonly dispatch: (action: ExplorerAction) => void;
  readonly columns: number;
  readonly rows: number;
}
