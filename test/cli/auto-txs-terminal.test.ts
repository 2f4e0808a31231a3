import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { sendJson, serve } from '../client/http-server.ts';
import { gastop } from '../helpers/gastop.ts';
import { slowIt } from '../helpers/rounds.ts';
import { temporaryFolder } from '../helpers/service.ts';
import { startProgram } from './served-program.ts';

const ACCOUNT = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';

const signed = (bytes: number) =>
  ACCOUNT.signTransaction({
    type: 'eip1559',
    chainId: 1,
    nonce: 7,
    to: TO,
    data: `0x${'5a'.repeat(bytes)}`,
    gas: 5_000_000n,
    maxFeePerGas: 20_000_000_000n,
  });

const service = () =>
  serve((request, response) => {
    if (request.method === 'POST') sendJson(response, { id: 'made-1', status: 'pending' }, 201);
    else sendJson(response, { message: 'no such route' }, 404);
  });

/** The command at its prompt; what the service is given once the paste has ended and is agreed to. */
async function asked() {
  const { url, requests } = await service();
  const terminal = await gastop(['auto-txs', 'create', '--target', '5', '--url', url], { watchTty: true });
  await terminal.waitFor('Paste the raw signed transaction');
  const handedOver = async (): Promise<unknown> => {
    await terminal.press('enter');
    await terminal.waitFor('[y/N]');
    await terminal.press('y', 'enter');
    expect((await terminal.waitForExit()).exitCode).toBe(0);
    const { body = '' } = requests.find(({ method }) => method === 'POST') ?? {};
    return JSON.parse(body).signedTransaction;
  };
  return { terminal, handedOver };
}

describe.skipIf(process.platform === 'win32')('a signed transaction at a terminal', () => {
  it('that is longer than a line of a terminal is pasted, shown nowhere, and handed over once that is agreed to', async () => {
    const raw = await signed(100_000);
    const { terminal, handedOver } = await asked();
    await using _ = terminal;
    terminal.paste(`${raw.slice(0, 90)}\r${raw.slice(90)}`);
    expect(await handedOver()).toBe(raw);
    const said = terminal.output().replaceAll(/\s/g, '');
    for (const piece of [raw.slice(2, 60), raw.slice(-60)]) expect(said).not.toContain(piece);
    expect(terminal.leftovers()).toEqual([]);
  });

  it('is whole though the terminal answers late between its pieces', async () => {
    const raw = await signed(400);
    const { terminal, handedOver } = await asked();
    await using _ = terminal;
    const replies = ['\x1bP>|tmux 3.4\x1b\\', '\x1b]11;rgb:0000/0000/0000\x07', '\x1b[?62;22c'];
    for (const [place, reply] of replies.entries()) {
      terminal.write(raw.slice(place * 200, (place + 1) * 200));
      // In two reads.
      terminal.write(reply.slice(0, 5));
      await sleep(60);
      terminal.write(reply.slice(5));
    }
    terminal.write(raw.slice(replies.length * 200));
    expect(await handedOver()).toBe(raw);
  });

  slowIt('can be given up with Ctrl-C, which leaves the terminal as it was', async () => {
    const { url } = await service();
    await using terminal = await gastop(['auto-txs', 'check', '--url', url], { watchTty: true });
    await terminal.waitFor('Paste the raw signed transaction');
    await terminal.press('ctrl+c');
    expect((await terminal.waitForExit()).exitCode).toBe(130);
    expect(terminal.leftovers()).toEqual([]);
  });
});

it.skipIf(process.platform !== 'linux')('a full disk behind a command shows none of it either', async () => {
  const folder = await temporaryFolder();
  const raw = await signed(0);
  const file = join(folder, 'signed.txt');
  writeFileSync(file, raw);
  const echo = await serve((_, response) =>
    sendJson(response, { id: 'made-1', rawTransaction: raw, note: raw }),
  );
  const { ended } = startProgram(['auto-txs', 'create', file, '--target', '5', '--json', '--url', echo.url], {
    home: folder,
    env: { GASTOP_DEBUG: '1' },
    output: '/dev/full',
  });
  const { code, stderr } = await ended;
  expect(code).toBe(1);
  expect(stderr).toContain('the disk is full');
  expect(stderr).not.toContain(raw.slice(-60));
});
