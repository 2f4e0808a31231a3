import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Anvil, startAnvil } from '../../helpers/anvil.ts';
import {
  type AutoTxRig,
  fund,
  GWEI,
  mineAt,
  type RigOptions,
  sign,
  startRig,
} from '../../helpers/auto-tx-rig.ts';
import { listen } from '../../helpers/listen.ts';
import { waitFor } from '../../helpers/wait-for.ts';

/** A real node with somebody in between, who can swallow a question, or its answer. */
interface Between {
  readonly url: string;
  /** What was asked, as it went over the wire. */
  readonly asked: string[];
  /** `ask`: it never gets there; `answer`: it gets there and the answer is lost; `pass`: neither. */
  treat: (body: string) => 'pass' | 'ask' | 'answer';
}

async function standBetween(target: string): Promise<Between> {
  const asked: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    asked.push(body);
    const treatment = between.treat(body);
    if (treatment === 'ask') return;
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    }).then((each) => each.text());
    if (treatment === 'answer') return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer);
  });
  const { origin, stop } = await listen(server);
  const between: Between = { url: origin, asked, treat: () => 'pass' };
  onTestFinished(stop);
  return between;
}

let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil({ noMining: true, baseFee: 90n * GWEI });
  await anvil.mine();
});

afterAll(() => anvil?.stop());

async function rigOf(options: RigOptions): Promise<AutoTxRig> {
  const rig = await startRig(options);
  onTestFinished(() => rig.stop());
  return rig;
}

const isSending = (body: string) => body.includes('eth_sendRawTransaction');

/** Mines until it has come to its end: the base fee is low in every block. */
function mineUntilExecuted(rig: AutoTxRig, id: string) {
  return waitFor(
    async () => {
      const kept = await rig.kept(id);
      if (kept.state.status === 'EXECUTED') return kept;
      await mineAt(anvil, 10);
      await rig.seen(Number(await anvil.rpc('eth_blockNumber')));
      throw new Error(JSON.stringify({ ...kept.state, inclusion: undefined }));
    },
    { what: 'EXECUTED' },
  );
}

test('a sender whose questions hang holds up nobody else', async () => {
  const between = await standBetween(anvil.url);
  const rig = await rigOf({ urls: [between.url], requestTimeoutMs: 60_000, senderMs: 500 });
  await mineAt(anvil, 90);
  const [stuck, free] = [await fund(anvil), await fund(anvil)];
  const isOfStuck = (body: string) => body.toLowerCase().includes(stuck.address.slice(2).toLowerCase());
  between.treat = (body) => (isOfStuck(body) ? 'ask' : 'pass');
  const held = await rig.place(await sign(stuck));
  const goes = await rig.place(await sign(free));
  await mineAt(anvil, 10);
  await waitFor(() => between.asked.some(isOfStuck), { what: 'the question that hangs' });
  await rig.sent(goes);
  await mineUntilExecuted(rig, goes);
  const next = await rig.place(await sign(free, { nonce: 1 }));
  await mineAt(anvil, 10);
  await rig.sent(next);
  expect((await rig.kept(held)).state).toMatchObject({ status: 'PENDING', attempts: 0 });
  between.treat = () => 'pass';
  await mineUntilExecuted(rig, held);
});

describe('nobody knows whether a node has it', () => {
  test('it has, and its answer was lost: that is found out, and no other is sent', async () => {
    const between = await standBetween(anvil.url);
    const rig = await rigOf({ urls: [between.url], requestTimeoutMs: 3_000 });
    await mineAt(anvil, 90);
    const id = await rig.place(await sign(await fund(anvil)));
    between.treat = (body) => (isSending(body) ? 'answer' : 'pass');
    await mineAt(anvil, 10);
    await rig.sent(id);
    const { state } = await mineUntilExecuted(rig, id);
    expect(state).toMatchObject({ attempts: 1, failure: null });
    expect(
      new Set(between.asked.filter(isSending).map((body) => body.match(/0x02[0-9a-f]+/)?.[0])).size,
    ).toBe(1);
  });
});
