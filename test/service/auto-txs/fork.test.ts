import { type Hex, keccak256, toHex } from 'viem';
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRpcSource } from '../../../src/chain/rpc-source.ts';
import { AutoTxDetails } from '../../../src/contract/auto-txs.ts';
import { ChainRules } from '../../../src/contract/chain.ts';
import { StatsMarket } from '../../../src/contract/dashboard.ts';
import { PATHS } from '../../../src/contract/routes.ts';
import { passes } from '../../../src/core/auto-txs/check.ts';
import { GWEI, keptOf } from '../../helpers/auto-tx-rig.ts';
import { fixedPrice } from '../../helpers/fixed-price.ts';
import { type ForkingNodeOptions, SPACING_SEC, startForkingNode } from '../../helpers/forking-node.ts';
import { migrated } from '../../helpers/open-database.ts';
import { slowIt } from '../../helpers/rounds.ts';
import { readyService, temporaryFile } from '../../helpers/service.ts';
import { waitFor } from '../../helpers/wait-for.ts';
import { olderRow } from '../../store/auto-txs/stored-auto-txs.ts';

const FORK = 70;
const OTHER: Hex = '0x00000000000000000000000000000000000000aa';
const NEW: Hex = '0x00000000000000000000000000000000000000bb';
const accountOf = (index: number) => privateKeyToAccount(keccak256(toHex(`fork ${index}`)));

/** What waits: valid before the fork, and after it or not. */
const KINDS = ['transfer', 'data', 'access list', 'to a new account', 'delegation'] as const;
type Kind = (typeof KINDS)[number];
const accessList = [{ address: OTHER, storageKeys: [1, 2, 3].map((key) => toHex(key, { size: 32 })) }];
const SIGNED = {
  transfer: { gas: 21_000n },
  // The floor: 40 a byte before, 64 a byte after.
  data: { gas: 25_000n, data: `0x${'ff'.repeat(100)}` },
  'access list': { gas: 21_000n + 2_400n + 3n * 1_900n, accessList },
  'to a new account': { gas: 21_000n, to: NEW },
  // Enough to delegate an account that is there.
  delegation: { gas: 100_000n },
} as const;
/** Whose account is delegated, and does not exist. */
const NEWCOMER = privateKeyToAccount(keccak256(toHex('fork newcomer')));

async function sign(account: PrivateKeyAccount, kind: Kind | 'resigned', chainId = 1): Promise<Hex> {
  const fields = kind === 'resigned' ? { ...SIGNED.data, gas: 27_400n } : SIGNED[kind];
  const fees = { maxFeePerGas: 100n * GWEI, maxPriorityFeePerGas: GWEI / 100n };
  const usual = { chainId, nonce: 0, to: OTHER, value: 1n, ...fees, ...fields };
  if (kind !== 'delegation') return account.signTransaction({ type: 'eip1559', ...usual });
  const authorization = await NEWCOMER.signAuthorization({ address: OTHER, chainId, nonce: 0 });
  return account.signTransaction({ type: 'eip7702', ...usual, authorizationList: [authorization] });
}

const noted = ({ kind }: { readonly kind: string }) => kind;

/** On a busy machine no slot passes for one that was missed. */
function slowClock(times: number) {
  const began = Date.now();
  return () => Math.round(began + (Date.now() - began) / times);
}

/** A service over a node that is about to cross, with as many auto-txs of each kind that wait for a lower price. */
async function crossing(options: Partial<ForkingNodeOptions>, each: number, given?: string) {
  const forking = await startForkingNode({ forkAt: FORK, length: FORK - 3, ...options });
  onTestFinished(forking.stop);
  for (const address of [NEW, NEWCOMER.address]) forking.absent.add(address.toLowerCase());
  const database = given ?? (await temporaryFile('chain-1.db'));
  async function start() {
    const source = createRpcSource({ urls: [forking.url] });
    onTestFinished(() => source.close());
    const priceFeed = fixedPrice(2_000);
    const ready = await readyService({ source, priceFeed, database, wallNow: slowClock(2) });
    // It waits for what the node says of its forks.
    await ready.read(PATHS.chainRules);
    return ready;
  }
  let service = await start();
  let accounts = 0;
  const ask = (method: string, path: string, signedTransaction: Hex, targetGasPriceGwei?: number) =>
    service.ask(path, { method, body: { signedTransaction, targetGasPriceGwei } });
  async function post(kind: Kind, targetGasPriceGwei: number) {
    const account = accountOf(accounts++);
    const signed = await sign(account, kind, options.chainId);
    const response = await ask('POST', PATHS.autoTxs, signed, targetGasPriceGwei);
    const body: unknown = await response.json();
    expect(response.status, JSON.stringify(body)).toBe(201);
    return { kind, account, signed, id: AutoTxDetails.parse(body).id };
  }
  const read = async (id: string) => AutoTxDetails.parse(await service.read(`${PATHS.autoTxs}/${id}`));
  const waiting: Awaited<ReturnType<typeof post>>[] = [];
  for (const kind of KINDS) for (let count = 0; count < each; count += 1) waiting.push(await post(kind, 1.5));
  return {
    ...forking,
    errors: () => service.errors,
    waiting,
    current: () => service.current(),
    market: async () => StatsMarket.parse(await service.read(PATHS.statsMarket)),
    async restart() {
      await service.stop();
      service = await start();
    },
    read,
    change: async (id: string, body: object) => {
      const response = await service.ask(`${PATHS.autoTxs}/${id}`, { method: 'PUT', body });
      return AutoTxDetails.parse(await response.json());
    },
    put: (id: string, signed: Hex) => ask('PUT', `${PATHS.autoTxs}/${id}`, signed),
    rules: async () => ChainRules.parse(await service.read(PATHS.chainRules)),
    /** Blocks come until the price is below the target of all. */
    async fall() {
      for (;;) {
        const { lanes } = await service.current();
        if ((lanes.average.price ?? 0) < 1.5e9) return;
        const number = forking.mine({ tip: GWEI / 100n });
        await waitFor(async () => (await service.current()).blockNumber === number);
      }
    },
    /**
     * Waits until the service has the block, and its auto-txs were judged by it. In a turn that goes on when the block comes,
     * what is due is sent after older judgements; in the next one it is not.
     */
    async passed(number: number) {
      await waitFor(async () => (await service.current()).blockNumber === number, {
        what: `block ${number}`,
      });
      for (const turn of ['this', 'next']) {
        const { signed } = await post('transfer', 1_000);
        await waitFor(() => forking.sent.includes(signed), { what: `${turn} turn at block ${number}` });
      }
    },
    /** Why auto-txs of each kind are held, and what their gas check says. */
    async said(): Promise<Record<Kind, readonly [hold: string | null, check: string | null]>> {
      const all = await Promise.all(waiting.map(async ({ kind, id }) => ({ ...(await read(id)), kind })));
      const ofKind = (kind: Kind) => {
        const said = all
          .filter((autoTx) => autoTx.kind === kind)
          .map(({ hold, checks }) => [
            hold?.code ?? null,
            checks.find(({ name }) => name === 'intrinsic-gas')?.code ?? null,
          ]);
        const [first = []] = said;
        for (const each of said) expect(each, kind).toEqual(first);
        return first;
      };
      return Object.fromEntries(KINDS.map((kind) => [kind, ofKind(kind)])) as never;
    },
  };
}

const SHORT = 'gas_too_low_after_fork';
const nothing = [null, null] as const;
/** No fork is known. */
const FREE = {
  transfer: nothing,
  data: nothing,
  'access list': nothing,
  'to a new account': nothing,
  delegation: nothing,
};
const WARNED = {
  transfer: nothing,
  data: [null, SHORT],
  'access list': [null, SHORT],
  'to a new account': [null, 'new_account'],
  delegation: [null, 'new_account'],
};
/** What would only lose its gas is held once it is due. */
const HELD = { ...WARNED, data: [SHORT, SHORT], 'access list': [SHORT, SHORT] };

describe('auto-txs that wait while the chain crosses Amsterdam', () => {
  it('are held with the reason in the block before it, freed by a reorg over it, and sent where they are valid', async () => {
    const { waiting, passed, said, rules, mine, fall, reorgTo, sent, put, read, errors } = await crossing(
      {},
      8,
    );
    const of = (kind: Kind) => waiting.filter((each) => each.kind === kind);
    for (const head of [FORK - 3, FORK - 2]) {
      await passed(mine());
      expect([head, await said()]).toEqual([head, WARNED]);
      expect(await rules()).toMatchObject({ rules: 'osaka', next: { kind: 'amsterdam' } });
    }
    await passed(mine());
    expect(await said()).toEqual(HELD);
    expect((await rules()).rules).toBe('osaka');
    await passed(mine());
    expect(await said()).toEqual(HELD);
    expect(await rules()).toMatchObject({ rules: 'amsterdam', source: 'header', next: null });

    await passed(reorgTo(FORK - 3));
    expect(await said()).toEqual(WARNED);
    expect(await rules()).toMatchObject({ rules: 'osaka', next: { kind: 'amsterdam' } });
    for (let head = FORK - 2; head <= FORK + 1; head += 1) await passed(mine());
    expect(await said()).toEqual(HELD);

    const isSent = ({ signed }: { readonly signed: Hex }) => sent.includes(signed);
    await fall();
    const valid = [...of('transfer'), ...of('delegation')];
    await waitFor(() => valid.every(isSent));
    for (const { id } of of('to a new account')) {
      await waitFor(async () => (await read(id)).hold?.code === 'new_account');
    }
    const [first, ...others] = of('data');
    if (first === undefined) throw new Error('none waits');
    const again = await sign(first.account, 'resigned');
    expect((await put(first.id, again)).status).toBe(200);
    await waitFor(() => sent.includes(again));
    expect(waiting.filter(isSent)).toEqual(valid);
    for (const { id } of others) {
      const { status, hold, timeline } = await read(id);
      expect([status, hold?.code]).toEqual(['PENDING', SHORT]);
      expect(timeline.map(noted).reverse()).toEqual(['CREATED', 'HELD', 'CHANGED', 'HELD']);
    }
    expect(errors()).toEqual([]);
  });

  it.each([
    ['has no eth_config', 'nothing', [FREE, FREE, FREE, HELD, HELD], FREE],
    ['says next: null', 'no fork', [FREE, FREE, FREE, HELD, HELD], FREE],
    ['says a time that is five blocks late', 5, [WARNED, WARNED, WARNED, HELD, HELD], WARNED],
    // By the header of the block after that, which is not of Amsterdam, they are free again.
    ['says a time that is two blocks early', -2, [HELD, FREE, FREE, HELD, HELD], FREE],
  ] as const)('where the node %s follow the headers', async (_, tells, expected, afterReorg) => {
    const { passed, said, mine, reorgTo, rules, sent, waiting, errors } = await crossing({ tells }, 2);
    for (const [past, each] of expected.entries()) {
      const head = mine();
      expect(head).toBe(FORK - 3 + past);
      await passed(head);
      expect([head, await said()]).toEqual([head, each]);
      expect((await rules()).rules).toBe(head < FORK ? 'osaka' : 'amsterdam');
    }
    await passed(reorgTo(FORK - 2));
    expect(await said()).toEqual(afterReorg);
    expect((await rules()).rules).toBe('osaka');
    expect(waiting.filter(({ signed }) => sent.includes(signed))).toEqual([]);
    expect(errors()).toEqual([]);
  });

  it('are held again at once by a change that leaves their gas too little, and free where it is enough', async () => {
    const { waiting, passed, mine, reorgTo, said, change, read, errors } = await crossing({}, 1);
    const of = (kind: Kind) => waiting.find((each) => each.kind === kind)?.id ?? '';
    for (let head = FORK - 3; head < FORK; head += 1) await passed(mine());
    expect(await said()).toEqual(HELD);
    for (const [kind, code] of [
      ['data', SHORT],
      ['access list', SHORT],
      ['transfer', null],
    ] as const) {
      expect((await change(of(kind), { status: 'DISABLED' })).hold, kind).toBeNull();
      const enabled = await change(of(kind), { status: 'PENDING' });
      expect([enabled.status, enabled.hold?.code ?? null], kind).toEqual(['PENDING', code]);
      const cheaper = await change(of(kind), { targetGasPriceGwei: 1.4 });
      expect(cheaper.hold?.code ?? null, kind).toBe(code);
    }
    const { timeline } = await read(of('data'));
    expect(timeline.map(noted).reverse()).toEqual([
      ...['CREATED', 'HELD', 'DISABLED', 'ENABLED', 'HELD', 'CHANGED', 'HELD'],
    ]);
    await change(of('data'), { status: 'DISABLED' });
    await passed(reorgTo(FORK - 3));
    expect((await read(of('access list'))).hold).toBeNull();
    expect((await change(of('data'), { status: 'PENDING' })).hold).toBeNull();
    expect(errors()).toEqual([]);
  });

  it('stay held over a restart, where nothing but the next block tells whose rules hold', async () => {
    const { passed, fall, said, read, mine, rules, sent, waiting, node, restart, errors } = await crossing(
      { tells: 'nothing' },
      1,
    );
    for (let head = FORK - 3; head <= FORK; head += 1) await passed(mine());
    await fall();
    await waitFor(async () => (await said())['to a new account'][0] === 'new_account');
    const isSent = ({ signed }: { readonly signed: Hex }) => sent.includes(signed);
    await waitFor(() => waiting.filter(isSent).length === 2);
    await restart();
    expect(await rules()).toMatchObject({ rules: 'unknown', source: 'none' });
    // All of them are due, and looked at.
    const isAsked = (address: string) =>
      node.requests.some(
        ({ method, params }) => method === 'eth_getTransactionCount' && params[0] === address,
      );
    node.requests.length = 0;
    await waitFor(() => waiting.every(({ account }) => isAsked(account.address)));
    await passed(mine({ tip: GWEI / 100n }));
    expect((await rules()).rules).toBe('amsterdam');
    expect(await said()).toMatchObject({ data: HELD.data, 'access list': HELD['access list'] });
    expect(waiting.filter(isSent).map(({ kind }) => kind)).toEqual(['transfer', 'delegation']);
    for (const { id, kind } of waiting) {
      if (kind !== 'transfer') expect((await read(id)).timeline.map(noted), kind).not.toContain('CHANGED');
    }
    expect(errors()).toEqual([]);
  });

  it('which an older program has stored are read from their signed bytes, and judged by the rules', async () => {
    const path = await temporaryFile('chain-1.db');
    const older = await migrated<Record<'auto_txs' | 'signed_transactions', Record<string, unknown>>>(
      path,
      8,
    );
    const stored = await Promise.all(
      KINDS.map(async (kind, index) => {
        const account = accountOf(1_000 + index);
        return { kind, account, signed: await sign(account, kind), id: `atx_${index}` };
      }),
    );
    for (const { id, signed } of stored) {
      const checks = [{ name: 'intrinsic-gas', ...passes('its gas limit covers its intrinsic gas') }];
      const kept = { ...keptOf(signed, { target: GWEI, isStrict: false }), id, chainId: 1, checks };
      const bytes = Buffer.from(signed.slice(2), 'hex');
      await older.insertInto('auto_txs').values(olderRow(kept)).execute();
      await older.insertInto('signed_transactions').values({ auto_tx_id: id, bytes }).execute();
    }
    await older.destroy();
    const { waiting, mine, passed, said, errors } = await crossing({}, 0, path);
    waiting.push(...stored);
    await passed(mine());
    expect(await said()).toEqual(WARNED);
    for (let head = FORK - 2; head <= FORK; head += 1) await passed(mine());
    expect(await said()).toEqual(HELD);
    expect(errors()).toEqual([]);
  });

  slowIt('are held where the node does not answer for accounts', async () => {
    let hangs = false;
    const answer = (method: string) =>
      hangs && method === 'eth_getCode' ? ({ hang: true } as const) : undefined;
    const { said, mine, errors } = await crossing({ answer }, 2);
    hangs = true;
    for (let head = FORK - 3; head <= FORK; head += 1) mine();
    await waitFor(async () => (await said())['access list'][0] === SHORT);
    expect(await said()).toMatchObject({ data: HELD.data, 'access list': HELD['access list'] });
    expect(errors()).toEqual([]);
  });

  slowIt('are sent, where an account did not exist, once it does', async () => {
    const { passed, mine, fall, sent, absent, waiting, read } = await crossing({}, 1);
    const { id, signed } = waiting.find(({ kind }) => kind === 'to a new account') ?? waiting[0] ?? {};
    for (let head = FORK - 3; head <= FORK; head += 1) await passed(mine());
    await fall();
    await waitFor(async () => (await read(id ?? '')).hold?.code === 'new_account');
    expect(sent).not.toContain(signed);
    absent.clear();
    await waitFor(() => signed !== undefined && sent.includes(signed));
  });
});

/** Without dollars, which come at a time of their own, and the address of the node. */
const inWei = (told: unknown): unknown =>
  JSON.parse(JSON.stringify(told, (key, value) => (/usd|Reason/i.test(key) ? undefined : value)));

/** Ethereum's fork says nothing of chains that have forks and gas rules of their own. */
describe.each([
  ['OP Mainnet', 10],
  ['Arbitrum One', 42_161],
  ['Polygon', 137],
  ['BNB Smart Chain', 56],
] as const)('on %s', (_, chainId) => {
  const startedAt = Math.floor(Date.now() / 1_000) - FORK * SPACING_SEC;
  async function told(options: Partial<ForkingNodeOptions>) {
    const { mine, current, market, rules, waiting, read } = await crossing(
      { chainId, startedAt, ...options },
      1,
    );
    const prices: unknown[] = [];
    const checks: unknown[] = [];
    for (let head = FORK - 3; head <= FORK + 1; head += 1) {
      const number = mine();
      await waitFor(async () => (await current()).blockNumber === number);
      if (head < FORK - 1) continue;
      const { updatedAt: _at, source: _node, stale: _is, ...told } = await current();
      prices.push(inWei(told), inWei((await market()).actions));
      for (const { id } of waiting) {
        checks.push((await read(id)).checks.map(({ name, result, code }) => [number, name, result, code]));
      }
    }
    return { prices, checks, rules: (await rules()).rules };
  }

  it('prices and usual work are the same to the wei, whatever its headers and its eth_config say', async () => {
    const plain = await told({ forkAt: null, tells: 'nothing' });
    const stated = await told({ hasFields: false });
    expect(stated).toEqual(plain);
    const all = await told({});
    expect(all.prices).toEqual(plain.prices);
    expect(all.rules).not.toBe('amsterdam');
  });
});
