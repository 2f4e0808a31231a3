import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../helpers/terminal.ts';
import { openBare, openGastop, quit, type Workshop } from './programs.ts';
import { writeRecording } from './recording.ts';
import type { Row } from './row.ts';
import { median, range } from './statistics.ts';

/** Blocks are 12 s apart. */
const HOUR_BLOCKS = 300;
const HOURS = 24;
/**
 * 45 s at this speed. What starts, and what V8 compiles because it runs often, belongs to no block; it is over when an
 * hour has passed by the clock, but not when 300 blocks have come within seconds.
 */
const WARM_HOURS = 6;
/** 40 blocks a second: each frame shows some ten of them. */
const SPEED = '480';
/** Somewhat more frames than the monitor draws at this speed. */
const BARE_PACE_MS = 50;
const SAMPLES = 5;
const APART_MS = 1_000;
const PATIENCE_MS = 1_200_000;
/** Ink begins each frame that it writes with this (synchronized output). */
const FRAME = '\x1b[?2026h';

/** What the program has in memory, bytes, as the system counts it; nothing is collected for it. */
function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1_024;
}

async function samplesOf({ pid }: Terminal): Promise<number[]> {
  const samples: number[] = [];
  while (samples.length < SAMPLES) {
    if (samples.length > 0) await sleep(APART_MS);
    samples.push(residentBytes(pid));
  }
  return samples;
}

/** Counts the frames that come from now on. */
function countFrames(terminal: Terminal): () => number {
  let frames = 0;
  let rest = '';
  terminal.onOutput((chunk) => {
    const parts = (rest + chunk.toString('latin1')).split(FRAME);
    frames += parts.length - 1;
    rest = (parts.at(-1) ?? '').slice(1 - FRAME.length);
  });
  return () => frames;
}

/** Number of the block that the status bar shows. */
export function shownBlock(rows: readonly string[]): number {
  const match = /#([\d,]+)/.exec(rows[0] ?? '');
  return match?.[1] === undefined ? 0 : Number(match[1].replaceAll(',', ''));
}

/**
 * Resident memory after 24 hours of blocks against a bare Ink program that has drawn at least as many frames, and against
 * itself once it was warm. History lies in a file, as it does with a node.
 */
export async function measureResidentMemory(workshop: Workshop): Promise<Row[]> {
  const recording = await writeRecording(workshop.folder, (HOURS + 2) * HOUR_BLOCKS);
  const database = join(workshop.folder, 'resident-memory.db');
  const args = ['--replay', recording, '--speed', SPEED, '--db', database];
  await using gastop = await openGastop(workshop, { args });
  const framesOfGastop = countFrames(gastop);
  await using bareInk = await openBare(workshop, BARE_PACE_MS);
  const framesOfBare = countFrames(bareInk);
  const after = async (hours: number): Promise<number[]> => {
    await gastop.waitFor((rows) => shownBlock(rows) >= hours * HOUR_BLOCKS, { timeoutMs: PATIENCE_MS });
    return samplesOf(gastop);
  };
  const warm = await after(WARM_HOURS);
  const day = await after(HOURS);
  const frames = framesOfGastop();
  await quit(gastop);

  await bareInk.waitFor(() => framesOfBare() >= frames, { timeoutMs: PATIENCE_MS });
  const bare = await samplesOf(bareInk);

  const row = (than: readonly number[]) => ({
    gastop: `${megabytes(median(day))} MB`,
    ratio: median(day) / median(than),
    spread: `${range(day.flatMap((a) => than.map((b) => a / b)))} in ${SAMPLES}×${SAMPLES} pairs`,
  });
  return [
    {
      ...row(bare),
      measure: `resident memory after ${HOURS} h of replayed blocks`,
      yardstick: `bare Ink program after as many frames (${framesOfBare()} beside ${frames}), ${megabytes(median(bare))} MB`,
      budget: [{ atMost: 2.2 }],
    },
    {
      ...row(warm),
      measure: `resident memory, hour ${HOURS} beside hour ${WARM_HOURS} (45 s)`,
      yardstick: `itself after ${WARM_HOURS} h of blocks, ${megabytes(median(warm))} MB`,
      budget: [{ atMost: 1.05 }],
    },
  ];
}

const megabytes = (bytes: number) => (bytes / 1_000_000).toFixed(1);
