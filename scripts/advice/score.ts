import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { readBlockFile, recordedChainId } from '../../src/chain/block-file.ts';
import { type BacktestReport, backtest } from '../../src/core/backtest/backtest.ts';
import type { HorizonScore, LaneReport, WaitScore } from '../../src/core/backtest/judge.ts';
import type { PatienceScore } from '../../src/core/backtest/patience.ts';
import type { Block } from '../../src/core/block.ts';
import { chainProfile } from '../../src/core/chains.ts';

/** What the backtest found on one recording: figures alone, none of its data. Shares 0 to 1, Unix seconds. */
export interface StretchScore {
  readonly file: string;
  readonly blocks: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly firstTime: number;
  readonly lastTime: number;
  /** Gwei. */
  readonly lowestBaseFee: number;
  readonly highestBaseFee: number;
  readonly blocksWithTips: number;
  readonly lanes: readonly LaneReport[];
  readonly horizons: readonly HorizonScore[];
  readonly waits: readonly WaitScore[];
  /** 5 and 15 minutes and an hour: a stretch of two days says little of more. */
  readonly patience: readonly PatienceScore[];
}

export const SCORE_FILE = new URL('../../docs/advice-score.json', import.meta.url);
/** The stretch that comes with the project. */
export const FIXTURE = new URL(
  '../../test/fixtures/blocks/mainnet_2024-10-15_2001blocks_basefee_blobfee.csv',
  import.meta.url,
);

/** Walks one recording. */
export async function scoreOf(path: string): Promise<StretchScore> {
  const [score] = await scoresOf(path, Number.POSITIVE_INFINITY);
  if (score === undefined) throw new RangeError(`${path} has no blocks`);
  return score;
}

/** Walks one recording in equal parts of about so many blocks, each as if nothing had come before it. */
export async function scoresOf(path: string, partBlocks: number): Promise<StretchScore[]> {
  const chainId = await recordedChainId(path);
  const blocks: Block[] = [];
  for await (const block of readBlockFile(path)) blocks.push(block);
  const parts = Math.max(Math.round(blocks.length / partBlocks), 1);
  const length = Math.floor(blocks.length / parts);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * blocks.length) / parts);
    return scoreOfBlocks(blocks.slice(from, from + length), chainId, basename(path));
  });
}

function scoreOfBlocks(blocks: readonly Block[], chainId: number, file: string): StretchScore {
  const { stretch, lanes, horizons, waits, patience } = report(blocks, chainId);
  const score = {
    file,
    blocks: stretch.blocks,
    firstBlock: stretch.firstBlock,
    lastBlock: stretch.lastBlock,
    firstTime: stretch.firstTime,
    lastTime: stretch.lastTime,
    lowestBaseFee: Number(stretch.baseFee.lowest) / 1e9,
    highestBaseFee: Number(stretch.baseFee.highest) / 1e9,
    blocksWithTips: stretch.withTips,
    lanes,
    horizons,
    waits,
    patience,
  };
  return parseScores(writtenScores([score]))[0] ?? score;
}

function report(blocks: readonly Block[], chainId: number): BacktestReport {
  const patiencesSec = [300, 900, 3_600];
  const walk = backtest({ blocks, feeRule: chainProfile(chainId).feeRule, patiencesSec });
  for (;;) {
    const step = walk.next();
    if (step.done) return step.value;
  }
}

/** The scores that are in the project, oldest stretch first. */
export async function readScores(): Promise<StretchScore[]> {
  return parseScores(await readFile(SCORE_FILE, 'utf8'));
}

export const parseScores = (text: string): StretchScore[] => JSON.parse(text) as StretchScore[];

/** As they are written to {@link SCORE_FILE}: fine enough that a table rounds them as it would the measured figure. */
export function writtenScores(scores: readonly StretchScore[]): string {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toFixed(6)) : value;
  const ordered = scores.toSorted((a, b) => a.firstTime - b.firstTime);
  return `${JSON.stringify(ordered, rounded, 2)}\n`;
}
