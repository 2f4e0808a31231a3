import { Box, Text } from 'ink';
import { useState } from 'react';
import type { BlockView, TxRowView, TxView } from '../../../client/views/metrics.ts';
import { chainProfile } from '../../../core/chains.ts';
import { looksLikeKey } from '../../../core/key-text.ts';
import {
  formatAge,
  formatChange,
  formatCount,
  formatGwei,
  formatPercent,
  UNKNOWN,
} from '../../../core/units.ts';
import { veilAll } from '../../app/source.ts';
import type { TabScreenProps } from '../../app/tabs.ts';
import { useKeptReducer } from '../../app/ui-state.ts';
import { useMonitor } from '../../data/queries.ts';
import { TextField } from '../../input/text-field.tsx';
import { useKeys } from '../../input/use-keys.tsx';
import type { NamedValue } from '../../ui/fact-list.tsx';
import { displayWidth, truncate } from '../../ui/text.tsx';
import { ASCII_THEME, useTheme } from '../../ui/theme.ts';
import { BlockScreen, blockFacts, blockTitle, type FactsContext } from './block-details.tsx';
import { type BlockRow, BlocksScreen } from './block-list.tsx';
import {
  EXPLORER_MEMORY,
  explorerReducer,
  INITIAL_EXPLORER_STATE,
  type LookupContext,
  type PlaceName,
  readLookup,
} from './explorer-state.ts';
import { noTransactions } from './place-frame.tsx';
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
      <Text>{`${blockTitle(block, context).map(plain).join(', ')}.`}</Text>
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
      <Text>{`${txTitle(tx, context).map(plain).join(', ')}.`}</Text>
      <Sentences values={[...identity(tx, context), ...payment(tx, block, context)]} />
      {standing === null ? null : <Text>{standing}</Text>}
    </Box>
  );
}

function Sentences({ values }: { readonly values: readonly NamedValue[] }) {
  return values.map(({ name, value }) => <Text key={name}>{`${name}: ${plain(value)}.`}</Text>);
}

/** Without glyphs that only draw. */
function plain(line: NamedValue['value']): string {
  return (
    ASCII_THEME.text(line.map(({ text }) => text).join(''))
      .replace(/[#.]{4,}|^[*o!] |[>^=] |\bv (?=[-+\d])/g, '')
      .trim()
      // What is set apart on the screen is a part of its own in a sentence.
      .replace(/\s{2,}/g, ', ')
  );
}

interface LookupBarProps {
  readonly width: number;
  readonly context: LookupContext;
  readonly open: (place: PlaceName) => void;
  readonly close: () => void;
}

const LABEL = ' look up';
const EXAMPLES = 'a block like 24,337,604, #24337604 or 0x1735cc4, or the hash of a transaction';
const SHORT_EXAMPLES = 'a block number, or the hash of a transaction';

/** One line to type into and one that says what is wrong with it, or what can be typed. */
function LookupBar({ width, context, open, close }: LookupBarProps) {
  const theme = useTheme();
  const [text, setText] = useState('');
  const read = readLookup(text, context);
  const line = (words: string) => ` ${truncate(theme.text(words), width - 2, theme.glyph.ellipsis)}`;
  return (
    <Box flexDirection="column" flexShrink={0} height={2}>
      <TextField
        label={LABEL}
        width={width}
        veil={(typed) => (context.isKey(typed) ? veilAll(typed, theme) : typed)}
        onChange={setText}
        onSubmit={(typed) => {
          const place = readLookup(typed, context);
          if (place.kind === 'found') open(place.place);
        }}
        onCancel={close}
      />
      {read.kind === 'wrong' ? (
        <Text wrap="truncate" color={theme.color('warn')}>
          {line(`${theme.glyph.warning} ${read.problem}`)}
        </Text>
      ) : read.kind === 'found' ? (
        <Text wrap="truncate" color={theme.color('good')}>
          {line('⏎ opens it, Esc closes')}
        </Text>
      ) : (
        <Text wrap="truncate" dimColor>
          {line(displayWidth(EXAMPLES) <= width - 2 ? EXAMPLES : SHORT_EXAMPLES)}
        </Text>
      )}
    </Box>
  );
}

/** Rows that the lookup field takes from what it stands over. */
const LOOKUP_ROWS = 2;

/** The Explorer tab: the latest blocks, and over them what was opened or looked up. */
export function ExplorerScreen({ snapshot, columns, rows }: TabScreenProps) {
  const [state, dispatch] = useKeptReducer(EXPLORER_MEMORY, explorerReducer, INITIAL_EXPLORER_STATE);
  const { isKey = looksLikeKey } = useMonitor();
  const place = state.places.at(-1);
  useKeys('explorer', {
    'look-up': () => dispatch({ type: 'ask' }),
    // Without anything open Esc is left to whoever else wants it.
    ...(place === undefined ? {} : { close: () => dispatch({ type: 'back' }) }),
  });
  const room = rows - (state.asking ? LOOKUP_ROWS : 0);
  const level = {
    snapshot,
    symbol: snapshot.chainId === null ? 'ETH' : chainProfile(snapshot.chainId).nativeSymbol,
    dispatch,
    columns,
    rows: room,
  };
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {state.asking ? (
        <LookupBar
          width={columns}
          context={{ head: snapshot.blockNumber, noTransactions: noTransactions(snapshot), isKey }}
          open={(found) => dispatch({ type: 'open', place: found })}
          close={() => dispatch({ type: 'stop-asking' })}
        />
      ) : null}
      <Box flexDirection="column" width={columns} height={room} flexShrink={0} overflow="hidden">
        {place === undefined ? (
          <BlocksScreen {...level} cursor={state.cursor} />
        ) : place.kind === 'block' ? (
          <BlockScreen key={place.number} {...level} place={place} />
        ) : (
          <TxScreen key={place.hash} {...level} place={place} />
        )}
      </Box>
    </Box>
  );
}
