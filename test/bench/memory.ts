import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Terminal } from '../helpers/terminal.ts';
import { openBare, openGastop, quit, shownBlock, type Workshop, writeRecording } from './programs.ts';
import { atMost, median, type Row, range } from './row.ts';

const HOUR_BLOCKS = 300;
const HOURS = 24;
/** 45 s at this speed: an hour by the clock, when nothing of the start is under way any more. */
const WARM_HOURS = 6;
const SPEED = '480';
const BARE_PACE_MS = 50;
const SAMPLES = 5;
const PATIENT = { timeoutMs: 1_200_000 };
/** Ink begins each frame that it writes with this (synchronized output). */
const FRAME = '\x1b[?2026h';

/** What the program has in memory, MB, as the system counts it; nothing is collected for it. */
export async function residentMb({ pid }: Terminal): Promise<number[]> {
  const samples: number[] = [];
  while (samples.length < SAMPLES) {
    await sleep(1_000);
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    samples.push((Number(kilobytes) * 1_024) / 1e6);
  }
  return samples;
}

export const memoryRow = (
  measure: string,
  ours: readonly number[],
  against: string,
  theirs: readonly number[],
  budget: (ratio: number) => Row['budget'],
): Row => ({
  measure,
  gastop: `${median(ours).toFixed(1)} MB`,
  yardstick: `${against}, ${median(theirs).toFixed(1)} MB`,
  ratio: median(ours) / median(theirs),
  spread: `${range(ours.flatMap((a) => theirs.map((b) => a / b)))} in ${SAMPLES}×${SAMPLES} pairs`,
  budget: budget(median(ours) / median(theirs)),
});

const framesOf = (terminal: Terminal) => terminal.output().split(FRAME).length - 1;

/** Resident memory after 24 hours of blocks against a bare Ink program, and against itself once it was warm. */
export async function measureMemory(workshop: Workshop): Promise<Row[]> {
  const recording = await writeRecording(workshop.folder, (HOURS + 2) * HOUR_BLOCKS);
  const database = join(workshop.folder, 'resident-memory.db');
  const args = ['--replay', recording, '--speed', SPEED, '--db', database];
  await using gastop = await openGastop(workshop, args);
  await using bareInk = await openBare(workshop, BARE_PACE_MS);
  const after = async (hours: number): Promise<number[]> => {
    await gastop.waitFor((rows) => shownBlock(rows) >= hours * HOUR_BLOCKS, PATIENT);
    return residentMb(gastop);
  };
  const warm = await after(WARM_HOURS);
  const day = await after(HOURS);
  const frames = framesOf(gastop);
  await quit(gastop);
  while (framesOf(bareInk) < frames) await sleep(1_000);
  const bare = await residentMb(bareInk);
  return [
    memoryRow(
      `resident memory after ${HOURS} h of replayed blocks`,
      day,
      `bare Ink program after as many frames (${framesOf(bareInk)} beside ${frames})`,
      bare,
      (ratio) => [atMost(ratio, 2.2)],
    ),
    memoryRow(
      `resident memory, hour ${HOURS} beside hour ${WARM_HOURS} (45 s)`,
      day,
      `itself after ${WARM_HOURS} h of blocks`,
      warm,
      (ratio) => [atMost(ratio, 1.05)],
    ),
  ];
}
