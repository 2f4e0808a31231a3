import type { BlockView } from '../../../client/views/explorer.ts';
import { hexText } from '../../../core/hex-text.ts';
import { formatAge, formatCount, formatGwei, formatNative, formatUsd, usdOf } from '../../../core/units.ts';
import { factGrid, type NamedValue, sectionLine } from '../../ui/fact-list.tsx';
import { EMPTY_LINE, type Line } from '../../ui/text.tsx';
import type { Theme } from '../../ui/theme.ts';
import type { OffsetAt } from '../../ui/time.ts';
import { changeLine } from './change-line.ts';
import { fullnessLine } from './fullness.ts';
import { momentText } from './present.ts';
import { tipLines, tipScale } from './tip-scale.ts';

export interface FactsContext {
  readonly width: number;
  /** What ages are counted from, ms. */
  readonly present: number;
  /** The newest block. */
  readonly head: number | null;
  readonly symbol: string;
  /** Dollars for one coin. */
  readonly nativeUsd: number | null;
  readonly offsetAt: OffsetAt;
  readonly theme: Theme;
  /** An empty line between the parts. */
  readonly airy: boolean;
}

/** Gas of one blob (EIP-4844). */
const GAS_PER_BLOB = 131_072;
const BAR_CELLS = 10;

/** Everything the service says of a block, but its transactions. */
export function blockLines(block: BlockView, context: FactsContext): readonly Line[] {
  const { width, theme, airy } = context;
  const { tips } = block;
  const gap = airy ? [EMPTY_LINE] : [];
  const scale = tips === null ? [] : tipScale(tips, width - 2, theme);
  return [
    ...gap,
    ...factGrid(blockFacts(block, context), width, theme),
    ...gap,
    ...(tips === null ? [] : [sectionLine('Tips', [{ text: 'gwei, weighted by gas', faint: true }])]),
    ...(tips === null ? [] : tipLines(tips, width - 2)).map(indented),
    ...scale.map(indented),
    ...gap,
  ];
}

const indented = (line: Line): Line => [{ text: ' ' }, ...line];

/** The first line: which block, when, how deep. */
export function blockTitle(block: BlockView, context: FactsContext): readonly Line[] {
  const { present, offsetAt } = context;
  const at = block.timestamp;
  const depth = confirmationsOf(block.blockNumber, block.confirmations, context.head);
  return [
    [{ text: `Block ${formatCount(block.blockNumber)}`, bold: true }],
    ...(at === null ? [] : [[{ text: formatAge((present - at) / 1_000) }]]),
    ...(depth === null ? [] : [[{ text: confirmationsText(depth) }]]),
    ...(at === null
      ? []
      : [
          [
            {
              text: momentText(at, present, offsetAt),
              faint: true,
            },
          ],
        ]),
  ];
}

/** Blocks on top of it, itself included: by the newest block that is known, or as the service said. */
export function confirmationsOf(
  blockNumber: number | null,
  said: number | null,
  head: number | null,
): number | null {
  if (blockNumber === null) return said;
  if (head === null) return said;
  return Math.max(head - blockNumber + 1, said ?? 0);
}

export function confirmationsText(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'confirmation' : 'confirmations'}`;
}

/** Its fields by name, as many as the service says. */
export function blockFacts(block: BlockView, context: FactsContext): readonly NamedValue[] {
  const { width, theme } = context;
  const hex = (name: string, value: string | null): NamedValue | null =>
    value === null
      ? null
      : { name, value: [{ text: hexText(value, width - 16, theme.glyph.ellipsis) }], alone: true };
  const facts: readonly (NamedValue | null)[] = [
    { name: 'base fee', value: [{ text: `${formatGwei(block.baseFeePerGas)} gwei`, bold: true }] },
    gasUsed(block),
    nextBase(block, theme),
    block.gasUsedRatio === null
      ? null
      : { name: 'full', value: fullnessLine(block.gasUsedRatio, BAR_CELLS, theme) },
    price('blob base', block.blobBaseFee),
    blobGas(block),
    price('next blob', block.nextBlobBaseFee),
    block.excessBlobGas === null
      ? null
      : { name: 'excess blob', value: [{ text: `${formatCount(block.excessBlobGas)} gas` }] },
    burnt(block, context),
    block.transactionCount === null
      ? null
      : { name: 'transactions', value: [{ text: formatCount(block.transactionCount) }] },
    hex('fees to', block.feeRecipient),
    hex('hash', block.hash),
    hex('parent', block.parentHash),
  ];
  return facts.filter((fact) => fact !== null);
}

function price(name: string, wei: number | null): NamedValue | null {
  return wei === null ? null : { name, value: [{ text: `${formatGwei(wei)} gwei` }] };
}

function nextBase({ baseFeePerGas, nextBaseFeePerGas }: BlockView, theme: Theme): NamedValue | null {
  if (nextBaseFeePerGas === null) return null;
  const change = baseFeePerGas === 0 ? [] : changeLine(nextBaseFeePerGas / baseFeePerGas - 1, theme);
  return {
    name: 'next base',
    value: [{ text: `${formatGwei(nextBaseFeePerGas)} gwei ` }, ...change],
  };
}

function gasUsed({ gasUsed: used, gasLimit: limit }: BlockView): NamedValue | null {
  if (used === null && limit === null) return null;
  if (used === null) return { name: 'gas limit', value: [{ text: formatCount(limit ?? 0) }] };
  const of = limit === null ? '' : ` of ${formatCount(limit)}`;
  return { name: 'gas used', value: [{ text: formatCount(used) }, { text: of, faint: true }] };
}

function blobGas({ blobGasUsed: used }: BlockView): NamedValue | null {
  if (used === null) return null;
  const blobs = Math.round(used / GAS_PER_BLOB);
  const count = blobs === 0 ? 'no blobs' : blobs === 1 ? '1 blob' : `${formatCount(blobs)} blobs`;
  return {
    name: 'blob gas',
    value: [{ text: formatCount(used) }, { text: `, ${count}`, faint: true }],
  };
}

function burnt({ burntWei }: BlockView, { symbol, nativeUsd }: FactsContext): NamedValue | null {
  if (burntWei === null) return null;
  const usd = nativeUsd === null ? '' : `  ${formatUsd(usdOf(burntWei, nativeUsd))}`;
  return { name: 'burnt', value: [{ text: formatNative(burntWei, symbol) }, { text: usd, faint: true }] };
}
