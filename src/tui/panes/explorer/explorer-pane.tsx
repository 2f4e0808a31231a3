import { Box, Text } from 'ink';
import type { BlockView, TxRowView, TxView } from '../../../client/views/metrics.ts';
import { chainProfile } from '../../../core/chains.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatGwei,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { useKeys } from '../../input/use-keys.tsx';
import type { NamedValue } from '../../ui/fact-list.tsx';
import { spokenLine } from '../../ui/text.tsx';
import { ASCII_THEME } from '../../ui/theme.ts';
import { BlockScreen, blockFacts, blockTitle, type FactsContext } from './block-details.tsx';
import { type BlockRow, BlocksScreen } from './block-list.tsx';
import { EXPLORER_MEMORY, explorerReducer, INITIAL_EXPLORER_STATE } from './explorer-state.ts';
import { identity, payment, standingSentence, TxScreen, txTitle } from './tx-details.tsx';

/** The list for a screen reader: a sentence for each block, the marked one first. */
export function SpokenBlocks({
  rows,
  present,
}: {
  readonly rows: readonly BlockRow[];
  readonly present: number;
}) {
  return (
    <Box flexDirection="column">
      <Text>Latest blocks, newest first. Enter opens the first one named here.</Text>
      {rows.map((row) => (
        <Text key={row.number ?? row.timestamp}>{spokenRow(row, present)}</Text>
      ))}
    </Box>
  );
}

function spokenRow(
  { number, timestamp, baseFee, change, gasUsedRatio, tip }: BlockRow,
  present: number,
): string {
  const parts = [
    number === null ? 'Block' : `Block ${formatCount(number)}`,
    formatAge((present - timestamp) / 1_000),
    baseFee === null ? null : `base fee ${formatGwei(baseFee)} gwei`,
    change === null ? null : formatChange(change),
    gasUsedRatio === null ? null : `${formatPercent(gasUsedRatio)} full`,
    tip === null ? null : `median tip ${formatGwei(tip)} gwei`,
  ];
  return `${parts.filter((part) => part !== null).join(', ')}.`;
}

interface SpokenBlockProps {
  readonly block: BlockView;
  readonly context: FactsContext;
  readonly txs: readonly TxRowView[];
  readonly selected: number | null;
  readonly note: string | null;
}

/** Transactions read out at once. */
const SPOKEN_TXS = 10;

export function SpokenBlock({ block, context, txs, selected, note }: SpokenBlockProps) {
  const tips = Object.entries(block.tips ?? {}).map(([name, tip]) => `${name} ${formatGwei(tip)}`);
  const from = selected ?? 0;
  return (
    <Box flexDirection="column">
      <Text>{`${blockTitle(block, context).map(spokenLine).join(', ')}.`}</Text>
      <Sentences values={blockFacts(block, context)} />
      {tips.length === 0 ? null : <Text>{`Tips in gwei: ${tips.join(', ')}.`}</Text>}
      {note === null ? null : <Text>{`${ASCII_THEME.text(note)}.`}</Text>}
      {txs.slice(from, from + SPOKEN_TXS).map((tx, index) => (
        <Text key={tx.hash}>{`${index === 0 && selected !== null ? 'Marked: ' : ''}${spokenTxRow(tx)}`}</Text>
      ))}
    </Box>
  );
}

function spokenTxRow(tx: TxRowView): string {
  const gwei = (wei: number | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const place = tx.transactionIndex === null ? '' : tx.transactionIndex + 1;
  return (
    `Transaction ${place} ${tx.hash}, ${tx.status?.toLowerCase() ?? 'status not known'}, ` +
    `paid ${gwei(tx.effectiveGasPrice)} gwei, tip ${gwei(tx.priorityFeePerGas)} gwei.`
  );
}

interface SpokenTxProps {
  readonly tx: TxView;
  readonly block: BlockView | null;
  readonly context: FactsContext;
}

export function SpokenTx({ tx, block, context }: SpokenTxProps) {
  const standing = standingSentence(tx);
  return (
    <Box flexDirection="column">
      <Text>{`${txTitle(tx, context).map(spokenLine).join(', ')}.`}</Text>
      <Sentences values={[...identity(tx, context), ...payment(tx, block, context)]} />
      {standing === null ? null : <Text>{standing}</Text>}
    </Box>
  );
}

function Sentences({ values }: { readonly values: readonly NamedValue[] }) {
  return values.map(({ name, value }) => <Text key={name}>{`${name}: ${spokenLine(value)}.`}</Text>);
}

/** The Explorer tab: the latest blocks, and over them what was opened or looked up. */
export function ExplorerScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [state, dispatch] = useKeptReducer(EXPLORER_MEMORY, explorerReducer, INITIAL_EXPLORER_STATE);
  const place = state.places.at(-1);
  // Without anything open Esc is left to whoever else wants it.
  useKeys('explorer', place === undefined ? {} : { close: () => dispatch({ type: 'back' }) });
  const symbol = snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol;
  const level = { snapshot, symbol, dispatch, columns, rows };
  if (place === undefined) return <BlocksScreen {...level} cursor={state.cursor} />;
  return place.kind === 'block' ? (
    <BlockScreen key={place.number} {...level} place={place} />
  ) : (
    <TxScreen key={place.hash} {...level} place={place} />
  );
}
