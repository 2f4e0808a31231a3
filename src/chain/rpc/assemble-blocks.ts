import type { Block } from '../../core/block.ts';
import type { Header } from './answers.ts';
import type { FeeRow } from './fee-page.ts';

/**
 * Blocks `from`–`to` out of fee rows and headers: a block with its header has hashes and gas, one with a row alone
 * has neither and an interpolated time. Blocks of which nothing is known, and those before them, are left out.
 */
export function assembleBlocks(
  from: number,
  to: number,
  rows: ReadonlyMap<number, FeeRow>,
  headers: ReadonlyMap<number, Header>,
): Block[] {
  const known = [...headers.values()].sort((a, b) => a.number - b.number);
  const blocks: Block[] = [];
  // Downwards, so that what is missing cuts off the past and never the present; `next` is the known header above.
  let above = known.length - 1;
  for (let number = to; number >= from; number--) {
    while (above > 0 && (known[above - 1]?.number ?? -1) >= number) above--;
    const header = headers.get(number);
    const row = rows.get(number);
    const timestamp = header?.timestamp ?? interpolate(number, known[above - 1], known[above]);
    if (timestamp === null || (!header && !row)) break;
    blocks.push({
      number,
      hash: header?.hash ?? null,
      parentHash: header?.parentHash ?? null,
      timestamp,
      baseFeePerGas: header?.baseFeePerGas ?? row?.baseFee ?? 0n,
      gasUsed: header?.gasUsed ?? null,
      gasLimit: header?.gasLimit ?? null,
      gasUsedRatio: row?.gasUsedRatio ?? usedRatio(header),
      blobBaseFee: row?.blobBaseFee ?? null,
      nextBaseFee: row?.nextBaseFee ?? null,
      nextBlobBaseFee: row?.nextBlobBaseFee ?? null,
      tips: row?.tips ?? null,
    });
  }
  return blocks.reverse();
}

function usedRatio(header: Header | undefined): number {
  if (!header || header.gasLimit === 0n) return 0;
  return Math.min(1, Number(header.gasUsed) / Number(header.gasLimit));
}

function interpolate(number: number, below: Header | undefined, above: Header | undefined): number | null {
  if (!below || !above || number < below.number || number > above.number) return null;
  const share = (number - below.number) / (above.number - below.number);
  return Math.round(below.timestamp + share * (above.timestamp - below.timestamp));
}
