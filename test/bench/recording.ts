import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { encodeBlock, encodeHeader } from '../../src/chain/block-formats.ts';
import { makeBlocks, restlessSteps } from '../core/support/made-blocks.ts';

const FIRST_NUMBER = 1;
const MAINNET = 1;

/** Writes a recording of made blocks, numbered from 1, as `gastop record` would; gives its path. */
export async function writeRecording(folder: string, count: number): Promise<string> {
  const path = join(folder, `${count}-blocks.jsonl`);
  const blocks = makeBlocks(restlessSteps(count), { firstNumber: FIRST_NUMBER });
  await pipeline(
    Readable.from(
      (function* () {
        yield line(encodeHeader(MAINNET));
        for (const block of blocks) yield line(encodeBlock(block));
      })(),
    ),
    createWriteStream(path),
  );
  return path;
}

const line = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);
