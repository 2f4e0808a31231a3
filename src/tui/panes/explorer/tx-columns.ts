import type { TxRowView } from '../../../client/views/explorer.ts';
import { hexText, shortHex } from '../../../core/hex-text.ts';
import { formatCount, formatGwei, formatNative, UNKNOWN } from '../../../core/units.ts';
import type { TableColumn } from '../../ui/table.ts';
import type { Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import { shortStatus } from './tx-words.ts';

/** From this width on each transaction shows its hash too. */
const HASH_FROM = 110;
/** From these widths on a status has a word, and every word its glyph before it. */
const WORDS_FROM = 72;
const ALL_FROM = 84;

/** The columns of a block's transactions, left to right. */
export function txColumns(width: number, symbol: string, theme: Theme): readonly TableColumn<TxRowView>[] {
  const { ellipsis, into } = theme.glyph;
  const gwei = (wei: number | null) => (wei === null ? UNKNOWN : formatGwei(wei));
  const hashRoom = width >= 190 ? 66 : 21;
  const columns: readonly TableColumn<TxRowView>[] = [
    {
      id: 'index',
      heading: '#',
      align: 'right',
      least: 3,
      rank: 0,
      cell: ({ transactionIndex }) =>
        transactionIndex === null ? UNKNOWN : formatCount(transactionIndex + 1),
    },
    {
      id: 'type',
      heading: 'type',
      align: 'right',
      least: 4,
      rank: 5,
      cell: ({ type }) => (type === null ? UNKNOWN : String(type)),
    },
    {
      id: 'hash',
      heading: 'hash',
      align: 'left',
      least: hashRoom,
      rank: width >= HASH_FROM ? 6 : 8,
      cell: ({ hash }) => hexText(hash, hashRoom, ellipsis),
    },
    {
      id: 'route',
      heading: `from ${into} to`,
      align: 'left',
      least: 25,
      rank: 1,
      cell: ({ from, to }): string =>
        `${from === null ? UNKNOWN : shortHex(from, ellipsis)} ${into} ${to === null ? 'new contract' : shortHex(to, ellipsis)}`,
    },
    {
      id: 'gas',
      heading: 'gas used',
      align: 'right',
      least: 8,
      rank: 4,
      cell: ({ gasUsed }) => (gasUsed === null ? UNKNOWN : formatCount(gasUsed)),
    },
    {
      id: 'price',
      heading: 'paid',
      align: 'right',
      least: 7,
      rank: 2,
      cell: ({ effectiveGasPrice }) => gwei(effectiveGasPrice),
    },
    {
      id: 'tip',
      heading: 'tip',
      align: 'right',
      least: 7,
      rank: 0,
      cell: ({ priorityFeePerGas }) => [{ text: gwei(priorityFeePerGas), bold: true }],
    },
    {
      id: 'cost',
      heading: `cost ${symbol}`,
      align: 'right',
      least: 11,
      rank: 7,
      cell: ({ costWei }) =>
        costWei === null ? UNKNOWN : formatNative(costWei, symbol).replace(` ${symbol}`, ''),
    },
    {
      id: 'status',
      heading: 'status',
      align: 'left',
      least: statusRoom(width),
      rank: 3,
      cell: ({ status }) => statusCell(status, statusRoom(width), theme),
    },
  ];
  return width < HASH_FROM ? columns.filter(({ id }) => id !== 'hash') : columns;
}

function statusRoom(width: number): number {
  return width < WORDS_FROM ? 1 : width < ALL_FROM ? 8 : 10;
}

/** Where there is no room for both, the word alone; where there is none for it, its glyph, which differs by status. */
function statusCell(status: string | null, room: number, theme: Theme): Line | string {
  const words = shortStatus(status, theme);
  if (words === null) return UNKNOWN;
  const [glyph = '', word = ''] = words.text.split(' ');
  const text = words.text.length <= room ? words.text : word.length <= room ? word : glyph;
  return [{ text, color: words.color }];
}
