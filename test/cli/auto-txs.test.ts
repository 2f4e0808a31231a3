import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serializeTransaction } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { describe, expect, it } from 'vitest';
import { sendJson, serve } from '../client/http-server.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { sharedFolder } from '../helpers/shared-folder.ts';
import { type Captured, ended, type RunOptions, runMain } from './captured-io.ts';

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const TO = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const folder = sharedFolder('auto-txs');
const file = (name: string) => join(folder, name);

const CALL = { chainId: 1, nonce: 7, to: TO, gas: 21_000n } as const;
const PAYING = { maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n };

const value = 123_456_789_012_345_678n;
const signed = await privateKeyToAccount(KEY).signTransaction({ ...CALL, ...PAYING, type: 'eip1559', value });
writeFileSync(file('signed.txt'), `${signed}\n`);

async function run(argv: readonly string[], options: RunOptions = {}): Promise<Captured> {
  const captured = await runMain(['auto-txs', ...argv], {
    ...options,
    env: { XDG_DATA_HOME: folder, GASTOP_DEBUG: '1', ...options.env },
  });
  expectNothingSigned(captured);
  return captured;
}

/** Says no more than its one line where it fails. */
const brief = (...argv: readonly string[]) => run(argv, { env: { GASTOP_DEBUG: '' } });

function expectNothingSigned({ stdout, stderr }: Captured) {
  const said = `${stdout}${stderr}`.toLowerCase().replaceAll(/\s/g, '');
  const hex = signed.slice(2);
  for (const secret of [hex, hex.slice(-64), hex.slice(-130, -66), KEY.slice(2)]) {
    expect(said).not.toContain(secret);
  }
}

interface Kept extends Record<string, unknown> {
  readonly id: string;
  status: string;
}

/** @param fields of an auto-tx that its description lists; none: it has no description */
async function foreignService(rows: readonly Kept[] = [], fields: readonly string[] = []) {
  const kept = new Map(rows.map((row) => [row.id, { ...row }]));
  const server = await serve((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [, , , , group, id, verb] = url.pathname.split('/');
    if (fields.length > 0 && url.pathname.endsWith('/openapi.json')) {
      const properties = Object.fromEntries(fields.map((field) => [field, {}]));
      const content = { 'application/json': { schema: { type: 'object', properties } } };
      const paths = { '/be/api/v1/auto-txs': { post: { requestBody: { content } } } };
      return sendJson(response, { openapi: '3.1.0', info: { title: 'Gas', version: '1' }, paths });
    }
    const body = () => JSON.parse(server.requests.at(-1)?.body || '{}') as Record<string, unknown>;
    if (group === 'gas' && id === 'current') {
      return sendJson(response, { chainId: 1, lowPrice: 4, averagePrice: 10, highPrice: 15, basePrice: 9 });
    }
    if (group !== 'auto-txs') return sendJson(response, { message: 'no such route' }, 404);
    if (id === undefined && request.method === 'GET') {
      return sendJson(response, { data: [...kept.values()] });
    }
    if (id === undefined) {
      const made: Kept = { id: 'made-1', status: 'pending', ...body() };
      kept.set(made.id, made);
      return sendJson(response, made, 201);
    }
    const found = kept.get(decodeURIComponent(id));
    if (found === undefined) return sendJson(response, { message: 'unknown' }, 404);
    if (request.method === 'DELETE') {
      kept.delete(found.id);
      return void response.writeHead(204).end();
    }
    if (verb === 'cancel') {
      if (found.status === 'submitted') return sendJson(response, { message: 'it was sent already' }, 409);
      found.status = 'cancelled';
    }
    if (request.method === 'PUT') Object.assign(found, body());
    return sendJson(response, { result: found });
  });
  return { ...server, kept };
}

describe('a signed transaction', () => {
  it('is scheduled from a file, and what the service repeats of it is shown nowhere', async () => {
    const service = await foreignService();
    const order = '--target 5 --lane slow --strict --note rent --url'.split(' ');
    const { exitCode, stdout, stderr } = await run(['create', file('signed.txt'), ...order, service.url]);
    expect([exitCode, stdout]).toEqual([0, 'made-1\n']);
    expect(stderr).toContain(`from          ${FROM}`);
    expect(stderr).toContain('value         0.123456789012345678 ETH');
    expect(stderr).toMatch(/\? nonce /);
    expect(stderr).toContain(`${service.host} gets the signed transaction and can send it at any time`);
    expect(stderr).toContain('created made-1: pending, target its own price ≤ 5 gwei');
    const { body } = service.requests.find(({ method }) => method === 'POST') ?? { body: '' };
    expect(JSON.parse(body)).toEqual({
      signedTransaction: signed,
      targetGasPriceGwei: 5,
      gasSpeed: 'SLOW',
      strictTargetPrice: true,
      note: 'rent',
    });
    const json = await run(['show', 'made-1', '--json', '--url', service.url]);
    expect(JSON.parse(json.stdout).result).toMatchObject({
      id: 'made-1',
      signedTransaction: '(signed bytes)',
    });
    expect((await run(['show', 'made-1', '--url', service.url])).exitCode).toBe(0);
    expect((await run(['list', '--json', '--url', service.url])).exitCode).toBe(0);
    expect((await run(['list', '--url', service.url])).stdout).toContain('made-1');
  });

  it.each([
    ['$3', { maxCostUsd: 3 }, 'cost ≤ $3'],
    ['$.05', { maxCostUsd: 0.05 }, 'cost ≤ $0.05'],
    ['2%', { maxShareOfValueRatio: 0.02 }, 'cost ≤ 2% of its value'],
  ])('may cost at most %s in all', async (cost, threshold, target) => {
    const service = await foreignService([], ['signedTransaction', 'targetGasPriceGwei', 'threshold']);
    const created = await run(['create', file('signed.txt'), '--max-cost', cost, '--url', service.url]);
    expect([created.exitCode, created.stdout]).toEqual([0, 'made-1\n']);
    expect(created.stderr).toContain(`created made-1: pending, target ${target}`);
    const { body } = service.requests.find(({ method }) => method === 'POST') ?? { body: '' };
    expect(JSON.parse(body)).toEqual({ signedTransaction: signed, threshold });
    expect((await run(['list', '--url', service.url])).stdout).toContain(target);
    expect((await run(['show', 'made-1', '--url', service.url])).stdout).toContain(`target        ${target}`);
    const shown = await run(['show', 'made-1', '--json', '--url', service.url]);
    expect(JSON.parse(shown.stdout).result).toMatchObject({ threshold });
    const changed = await run(['update', 'made-1', '--max-cost', '$1', '--url', service.url]);
    expect(changed.exitCode).toBe(0);
    expect(service.kept.get('made-1')).toMatchObject({ threshold: { maxCostUsd: 1 } });
  });

  it.each([
    [0.02, '117.577894297'],
    [0.01, '58.788947148'],
    [0.005, '29.394473574'],
  ])(
    'is checked for its own target where it replaces one limited to %d of its value',
    async (ratio, gwei) => {
      const target = { targetGasPriceGwei: 7, threshold: { maxShareOfValueRatio: ratio } };
      const of = { from: FROM, to: TO, value: '1', nonce: 7, gasLimit: 21_000, maxFeePerGas: 20e9 };
      const service = await foreignService([{ id: 'made-1', status: 'pending', ...target, ...of }]);
      const changed = await run(['update', 'made-1', file('signed.txt'), '--url', service.url]);
      expect(changed.exitCode).toBe(0);
      expect(changed.stderr.replaceAll(/\s+/g, ' ')).toContain(`21,000 gas (its gas limit) at ${gwei} gwei`);
    },
  );

  it.each([
    [['--target', '5'], 'now 10.0 gwei, has to fall 50 %'],
    [['--target', '5', '--strict'], 'now 10.0 gwei with its own tip, has to fall 50 %'],
    [['--max-cost', '0.1%'], 'now 10.0 gwei with its own tip, has to fall 41 %'],
  ])('is checked with %j by a price that says whose tip is in it', async (order, words) => {
    const prices = {
      chainId: 1,
      lowPrice: 4,
      averagePrice: 10,
      highPrice: 15,
      basePrice: 9,
      nextBasePrice: 9,
    };
    const { url } = await serve((request, response) => {
      const isPrices = request.url?.includes('/gas/current') === true;
      sendJson(response, isPrices ? prices : { message: 'no such route' }, isPrices ? 200 : 404);
    });
    const { stdout } = await run(['check', file('signed.txt'), ...order, '--url', url]);
    expect(stdout).toContain(words);
  });

  it.each([
    ['no description', []],
    ['a description without it', ['signedTransaction', 'targetGasPriceGwei']],
  ])('is not limited by its cost at a service with %s', async (_, fields) => {
    const service = await foreignService([], fields);
    const created = await run(['create', file('signed.txt'), '--max-cost', '$3', '--url', service.url]);
    expect(created.exitCode).not.toBe(0);
    expect(created.stderr).toContain('--max-cost is not listed by this service: give a target in gwei');
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it.each([
    [['--max-cost', '3$'], 'write $3'],
    [['--max-cost', '$0.40/swap'], 'write $0.40, 2%'],
    [['--max-cost', '$2000000'], 'at most $1,000,000'],
    [['--max-cost', '$3', '--target', '5'], 'cannot be combined'],
    [[], "--target GWEI, or --max-cost '$3'"],
  ])('is not scheduled with %j', async (order, words) => {
    const service = await foreignService();
    const { exitCode, stderr } = await run(['create', file('signed.txt'), ...order, '--url', service.url]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(words);
    expect(service.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('comes from stdin, or is pasted where nobody sees it, and is asked about at a terminal', async () => {
    const service = await foreignService();
    const argv = ['create', '--target', '5', '--url', service.url];
    const piped = await run([...argv, '-', '--json'], { input: `"${signed}"` });
    expect(JSON.parse(piped.stdout)).toMatchObject({ id: 'made-1' });
    const sent = () => service.requests.filter(({ method }) => method === 'POST').length;
    expect([piped.exitCode, sent()]).toEqual([0, 1]);
    expect((await run(argv, { input: signed })).exitCode).toBe(0);
    const refused = await run(argv, { terminal: true, pasted: signed, answer: 'n' });
    expect([refused.exitCode, sent()]).toEqual([1, 2]);
    expect(refused.stderr).toContain('it is not shown');
    expect(refused.stderr).toContain(`Schedule it with ${service.host}? [y/N]`);
    expect(refused.stderr).toContain('nothing was scheduled');
    const agreed = await run(argv, { terminal: true, pasted: signed, answer: 'y' });
    expect([agreed.exitCode, sent()]).toEqual([0, 3]);
    const unasked = await run([...argv, '--yes'], { terminal: true, pasted: signed, answer: 'n' });
    expect([unasked.exitCode, sent()]).toEqual([0, 4]);
    const none = await run(argv, { terminal: true, pasted: null });
    expect([none.exitCode, sent()]).toEqual([2, 4]);
  });

  it.each([
    ['an empty file', () => '', 'is empty; a raw signed transaction as hex was expected'],
    ['blanks', () => ' \n\t', 'is empty'],
    ['bytes that are no text', () => Buffer.from([0x02, 0xf8, 0x74, 0xff, 0xfe]), 'is not UTF-8 text'],
    ['ten megabytes', () => Buffer.alloc(10_000_000, 'a'), 'is longer than'],
    ['a private key', () => KEY, 'or a private key'],
    ['a hash', () => `0x${'ab'.repeat(32)}`, 'the hash of a transaction'],
    [
      'a recovery phrase',
      () => 'test test test test test test test test test test test junk',
      'recovery phrase',
    ],
    ['JSON', () => JSON.stringify({ rawTransaction: signed }), 'JSON'],
    ['words', () => 'send everything', 'no hex'],
    ['half of it', () => signed.slice(0, 120), 'signed.txt is no transaction that a node would take'],
    ['one digit too few', () => signed.slice(0, -1), 'odd'],
    [
      'one that is not signed',
      () => serializeTransaction({ ...CALL, type: 'eip1559', maxFeePerGas: 5n }),
      'not signed',
    ],
  ])('%s is no signed transaction: one line without the input, and no request', async (_, content, says) => {
    const service = await foreignService();
    const name = join(mkdtempSync(join(folder, 'bad-')), 'signed.txt');
    writeFileSync(name, content());
    for (const command of [['check'], ['create', '--target', '5'], ['update', 'made-1']]) {
      const { exitCode, stdout, stderr } = await brief(...command, name, '--url', service.url);
      expect([exitCode, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
      expect(stderr).toContain(says);
      const text = String(content()).trim();
      if (text.length > 20) expect(stderr).not.toContain(text.slice(0, 60));
    }
    expect(service.requests).toEqual([]);
  });

  it('is no argument, whatever stands around it, and is not repeated', async () => {
    const service = await foreignService();
    const hex = signed.slice(2);
    for (const argv of [
      ['create', signed, '--target', '5'],
      ['create', hex, '--target', '5'],
      ['check', ` '${signed.toUpperCase().replace('0X', '0x')}' `],
      ['update', 'made-1', signed],
      ['show', signed],
      ['cancel', signed],
      [signed],
      ['create', '--target', '5', `--note=${signed}`],
      ['create', '--target', '5', '--data', signed],
      ['create', '--target', '5', '--bogus', signed],
      ['creat', signed],
      ['create', KEY, '--target', '5'],
      ['check', hex.slice(0, 100)],
    ]) {
      const { exitCode, stderr } = await brief(...argv, '--url', service.url);
      expect([exitCode, stderr]).toEqual([
        2,
        "gastop: a signed transaction is read from a file or stdin, never from an argument, where the shell's history keeps it\n",
      ]);
    }
    expectNothingSigned(await runMain([signed], {}));
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['a folder', () => folder, 'is a folder'],
    ['a file that is not there', () => file('missing.txt'), 'does not exist'],
  ])('cannot be read from %s', async (_, name, says) => {
    const { exitCode, stderr } = await brief('check', name(), '--demo');
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toContain(says);
  });

  it.each([
    [['create'], '--target GWEI'],
    [['create', '--target', 'cheap'], '--target: "cheap" is not a price'],
    [['create', '--target', '5', '--expires', 'soon'], '--expires: "soon" is neither a duration nor a time'],
    [
      ['create', '--target', '5', '--to', TO, '--expires', '2020-01-01T00:00Z'],
      '--expires must be in the future',
    ],
    [['create', '--target', '5', '--expires', '2026-01-01T00:00'], 'nor a time with its zone'],
    [['create', '--target', '5', '--to', TO, '--expires', '367d'], '--expires must be at most 366 days'],
    [['create', '--target', '5', '--to', 'vitalik.eth'], '--to must be an address'],
    [['create', '--target', '5', '--to', TO, '--value', 'all'], '--value: "all" is not an amount'],
    [['create', '--target', '5', '--to', TO, '--data', '0xabc'], '--data must be hex'],
    [['create', 'signed.txt', '--target', '5', '--to', TO], 'make a draft'],
    [['create', '--target', '5', '--to', TO, '--note', 'x'.repeat(501)], '--note must have at most 500'],
    [['check', 'signed.txt', '--id', 'a'], 'one transaction is checked at a time'],
    [['update', 'a'], 'say what is to change'],
    [['update', 'a', '--enable', '--disable'], 'cannot be combined'],
    [['delete', 'a'], 'say --yes'],
    [['remove'], 'unknown command "remove"'],
  ])('is not scheduled by %j', async (argv, says) => {
    const { exitCode, stderr } = await brief(...argv, '--url', 'http://127.0.0.1:9');
    expect([exitCode, stderr.trim().split('\n').length]).toEqual([2, 1]);
    expect(stderr).toContain(says);
  });

  it('is in nothing that is said when things break', async () => {
    const status = await serve((request, response) => {
      const echo = {
        message: `cannot take ${signed}`,
        signedTransaction: signed,
        details: [{ path: 'signedTransaction', message: signed }],
      };
      sendJson(response, echo, Number(new URL(request.url ?? '/', 'http://a').pathname.split('/')[1]));
    });
    const broken = await serve((_, response) => response.end(`<p>${signed}`));
    const gone = await serve((_, response) => response.destroy());
    const closed = await serve(() => {});
    await closed.close();
    const urls = [
      ...(isSlowRun ? [400, 401, 403, 404, 409, 413, 422, 429, 500, 503] : [400, 409, 503]).map(
        (code) => `${status.url}/${code}`,
      ),
      broken.url,
      gone.url,
      closed.url,
    ];
    for (const url of urls) {
      for (const argv of [
        ['create', file('signed.txt'), '--target', '5'],
        ['create', file('signed.txt'), '--target', '5', '--json'],
        ['update', 'made-1', file('signed.txt')],
        ['check', file('signed.txt')],
        ['list', '--json'],
        ['show', 'made-1', '--json'],
        ['cancel', 'made-1'],
        ['delete', 'made-1', '--yes'],
      ]) {
        const { exitCode, stderr } = await run([...argv, '--url', url]);
        // Decoded here, it can be checked for what it is against a service that says nothing.
        if (argv[0] !== 'check') expect(exitCode, `${argv.join(' ')} at ${url}: ${stderr}`).not.toBe(0);
      }
    }
  });
});

describe('auto-txs of a service elsewhere', () => {
  const row = {
    targetGasPrice: 8,
    gasSpeed: 'Average',
    to: TO,
    value: '1',
    nonce: 7,
    from: FROM,
    gasLimit: 21_000,
    maxFeePerGas: '20000000000',
    data: '0x',
    chainId: 1,
  };
  const rows: readonly Kept[] = [
    { id: 'a', status: 'executed', ...row },
    { id: 'b', status: 'pending', ...row },
    { id: 'c', status: 'submitted', ...row },
    { id: 'd', status: 'Waiting', note: '\u001b[31mred\u001b[0m' },
    { id: 'e', status: 'draft', to: TO },
  ];

  it('are listed by state, with how far their prices are off', async () => {
    const { url } = await foreignService(rows);
    const { exitCode, stdout } = await run(['list', '--url', url]);
    const lines = stdout.trim().split('\n');
    expect(exitCode).toBe(0);
    expect(lines.map((line) => line.slice(0, 1))).toEqual(['i', 'c', 'b', 'e', 'd', 'a']);
    expect(lines[2]).toMatch(/pending +Average ≤ 8 gwei +−20 % /);
    expect(stdout).not.toContain('\u001b');
    const some = await run(['list', '--status', 'pending,DRAFT', '--url', url]);
    expect(some.stdout.trim().split('\n')).toHaveLength(3);
    const hold = { code: 'nonce_gap', message: 'nonce 6 must come first' };
    const held = await foreignService([...rows, { id: 'h', status: 'pending', hold, ...row }]);
    const kept = await run(['list', '--status', 'held', '--url', held.url]);
    expect(kept.stdout.trim().split('\n')).toEqual([expect.anything(), expect.stringMatching(/^h +held /)]);
    const waiting = await run(['list', '--status', 'waiting', '--url', held.url]);
    const mined = await run(['list', '--status', 'INCLUDED', '--url', held.url]);
    expect([waiting.stdout.match(/^[a-z] /gm), waiting.exitCode]).toEqual([['b ', 'd '], 0]);
    expect([mined.stdout, mined.exitCode]).toEqual(['', 0]);
    for (const json of [[], ['--json']]) {
      const wrong = await run(['list', '--status', 'draft,pendng', '--url', url, ...json]);
      expect([wrong.stdout, wrong.exitCode]).toEqual(['', 2]);
      expect(wrong.stderr).toContain('--status: "pendng" is no status; it is one of draft, pending, ');
      expect(wrong.stderr).toContain(', held, ');
    }
    const none = await run(['list', '--status', 'failed', '--url', url]);
    expect(none).toEqual(ended(0, '', 'gastop: no auto-tx has that status\n'));
    const empty = await foreignService();
    expect((await run(['list', '--url', empty.url])).stderr).toContain('there are no auto-txs');
  });

  it('are checked by their own lane and end before another signature is sent', async () => {
    const expiresAt = '2020-01-01T00:00:00Z';
    const { url } = await foreignService([
      { id: 'b', status: 'pending', ...row, gasSpeed: 'Slow', expiresAt },
    ]);
    const { stderr } = await run(['update', 'b', file('signed.txt'), '--yes', '--url', url]);
    expect(stderr).toMatch(/ expiry /);
    expect(stderr).toMatch(/[✓◌?] reachable .*slow/i);
    const other = await run(['update', 'b', file('signed.txt'), '--lane', 'fast', '--url', url]);
    expect(other.stderr).toMatch(/reachable .*fast/i);
  });

  it.each([
    ['disabled', [], false],
    ['disabled', ['--disable'], false],
    ['pending', ['--disable'], false],
    ['disabled', ['--enable'], true],
    ['pending', [], true],
  ])(
    'are not said to be sent at once where they are %s and changed with %j',
    async (status, flags, isSent) => {
      const { url, host } = await foreignService([{ id: 'b', status, ...row, targetGasPrice: 12 }]);
      const argv = ['update', 'b', file('signed.txt'), ...flags, '--url', url];
      const { stderr } = await run(argv, { terminal: true, answer: 'n' });
      expect(stderr.includes('its target is reached already: it may be broadcast at once')).toBe(isSent);
      expect(stderr.match(/broadcast at once/g)?.length ?? 0).toBe(isSent ? 1 : 0);
      expect(stderr).toContain(`Schedule it with ${host}? [y/N]`);
    },
  );

  it('are cancelled, changed and deleted; one that was sent cannot be cancelled', async () => {
    const { url, kept } = await foreignService(rows);
    expect(await run(['cancel', 'b', '--url', url])).toMatchObject({
      exitCode: 0,
      stderr: 'gastop: cancelled b\n',
    });
    kept.set('f', { id: 'f', status: 'pending', mayBeMined: true });
    const out = await run(['cancel', 'f', '--url', url]);
    expect(out.stderr).toContain('it was broadcast before and may be mined until its nonce is used');
    const shown = await run(['show', 'f', '--url', url]);
    expect(shown.stdout).toMatch(/cancelled; it was broadcast before and may be mined/);
    kept.delete('f');
    const sent = await brief('cancel', 'c', '--url', url);
    expect([sent.exitCode, sent.stderr]).toEqual([1, 'gastop: it was sent already\n']);
    const both = await run(['cancel', 'c', 'e', '--url', url]);
    expect([both.exitCode, kept.get('e')?.status]).toEqual([1, 'cancelled']);
    const update = `update d --target 3 --expires never --no-strict --disable --url ${url}`;
    const changed = await run(update.split(' '));
    expect(changed.exitCode).toBe(0);
    expect(kept.get('d')).toMatchObject({
      targetGasPriceGwei: 3,
      expiresAt: null,
      strictTargetPrice: false,
      status: 'DISABLED',
    });
    const asked = await run(['delete', 'a', '--url', url], { terminal: true, answer: 'n' });
    expect([asked.exitCode, kept.has('a')]).toEqual([0, true]);
    expect(asked.stderr).toContain('Delete a (executed,');
    expect((await run(['delete', 'a', '--yes', '--url', url])).exitCode).toBe(0);
    expect(kept.has('a')).toBe(false);
    for (const argv of [
      ['show', 'zz'],
      ['cancel', 'zz'],
      ['delete', 'zz', '--yes'],
      ['update', 'zz', '--enable'],
      ['check', '--id', 'zz'],
    ]) {
      expect(await brief(...argv, '--url', url)).toEqual(
        ended(1, '', 'gastop: there is no auto-tx zz; gastop auto-txs list shows them\n'),
      );
    }
  });

  it('a signature that is not of the draft is sent nowhere', async () => {
    const service = await foreignService([
      { id: 'e', status: 'draft', to: TO, value: '5', data: '0x', chainId: 10 },
    ]);
    const { exitCode, stderr } = await run(['update', 'e', file('signed.txt'), '--url', service.url]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /another transaction than the draft e: .*it is for Ethereum and not for OP Mainnet/,
    );
    expect(stderr).not.toContain('gets the signed transaction');
    expect(service.requests.some(({ method }) => method === 'PUT')).toBe(false);
  });

  it('one that pays far more than its target needs --yes in a script', async () => {
    const service = await foreignService();
    const argv = ['create', file('signed.txt'), '--target', '0.5', '--url', service.url];
    const refused = await run(argv);
    expect([refused.exitCode, refused.stdout, service.kept.size]).toEqual([2, '', 0]);
    expect(refused.stderr).toContain('it pays far more itself than its target (see cost)');
    expect(refused.stderr).toContain('say --yes');
    const wanted = await run([...argv, '--yes']);
    expect([wanted.exitCode, wanted.stdout]).toEqual([0, 'made-1\n']);
  });

  it('are drafted by flags, without a word of a signature', async () => {
    const service = await foreignService();
    const argv = `create --target 0.5 --to ${TO} --value 0.1 --data a9059cbb --url ${service.url}`.split(' ');
    expect((await run(argv)).exitCode).toBe(0);
    expect(JSON.parse(service.requests.find(({ method }) => method === 'POST')?.body ?? '')).toEqual({
      targetGasPriceGwei: 0.5,
      to: TO,
      value: '100000000000000000',
      data: '0xa9059cbb',
    });
  });

  it('are checked anew by what is said of them, as far as that goes', async () => {
    const { url } = await foreignService(rows);
    const { exitCode, stdout } = await run(['check', '--id', 'b', '--url', url]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('✓ chain          signed for Ethereum');
    expect(stdout).toMatch(/\? nonce /);
    const ascii = await run(['check', '--id', 'b', '--ascii', '--target', '12', '--url', url]);
    expect(ascii.stdout).toMatch(/^ok +chain/m);
    expect(ascii.stdout).not.toMatch(/[^\u0000-\u007f]/);
    const draft = await run(['check', '--id', 'e', '--url', url]);
    expect([draft.exitCode, draft.stdout]).toEqual([1, '']);
  });

  it('a check fails with exit 1 where one of its lines does, and says it all as JSON', async () => {
    const { url } = await foreignService();
    const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n };
    const call = { ...CALL, ...fees, type: 'eip1559', chainId: 10 } as const;
    writeFileSync(file('other-chain.txt'), await privateKeyToAccount(KEY).signTransaction(call));
    const argv = ['check', file('other-chain.txt'), '--json', '--target', '5', '--url', url];
    const { exitCode, stdout } = await run(argv);
    expect(exitCode).toBe(1);
    const said = JSON.parse(stdout);
    const facts = { from: FROM, to: TO, chainId: 10, nonce: 7, value: '0', gasLimit: 21_000 };
    expect(said).toMatchObject({ ...facts, maxFeePerGas: 1 });
    const checkOf = (wanted: string) => said.checks.find(({ name }: { name: string }) => name === wanted);
    expect(checkOf('chain')).toMatchObject({ result: 'block', ok: false, code: 'wrong_chain' });
    expect(checkOf('nonce')).toMatchObject({ result: 'unknown', ok: null });
  });

  it('a check says whose account is delegated to what code, and warns where that is on every chain', async () => {
    const { url } = await foreignService();
    const account = privateKeyToAccount(KEY);
    const signedFor = async (chainId: number) =>
      account.signTransaction({
        ...{ ...CALL, ...PAYING, type: 'eip7702', value: 1n, gas: 100_000n },
        authorizationList: [await account.signAuthorization({ address: TO, chainId, nonce: 8 })],
      });
    writeFileSync(file('here.txt'), await signedFor(1));
    writeFileSync(file('everywhere.txt'), await signedFor(0));
    const here = await run(['check', file('here.txt'), '--target', '5', '--url', url]);
    expect(here.exitCode).toBe(0);
    const said = here.stdout.replaceAll(/\s+/g, ' ');
    expect(said).toContain('call delegates the account 0xf39F…2266 to the code at 0x7099…79C8');
    expect(said).toMatch(/\? delegation it delegates the account .*make sure that you trust this code/);
    expect(here.stdout).toMatch(/^value +1 wei$/m);
    expect(here.stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
    const argv = ['check', file('everywhere.txt'), '--json', '--target', '5', '--url', url];
    const everywhere = await run(argv);
    expect(everywhere.exitCode).toBe(1);
    const json = JSON.parse(everywhere.stdout);
    expect(json.authorizations).toEqual([{ chainId: 0, address: TO, nonce: 8, authority: FROM }]);
    expect(json.call).toMatchObject({
      name: 'delegation',
      words: expect.stringContaining('(on every chain)'),
    });
    expect(json.checks.find(({ name }: { name: string }) => name === 'delegation')).toMatchObject({
      ok: false,
    });
  });
});
