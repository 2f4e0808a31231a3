/** Programs that use gastop: the examples of docs/INTEGRATE.md as they stand there, in a project of their own. */
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { GasCurrent } from '../../src/contract/gas.ts';
import { API_KEY_HEADER, BASE_PATH } from '../../src/contract/routes.ts';
import { gweiString } from '../../src/core/units.ts';
import { createKey, startServe } from '../cli/served-program.ts';
import { examples, filesBelow, read } from '../documents/project-files.ts';
import { startAnvil } from '../helpers/anvil.ts';
import { type Chromium, chromiumPath, startChromium } from '../helpers/chromium.ts';
import { GASTOP } from '../helpers/gastop.ts';
import { listen } from '../helpers/listen.ts';
import { registrySettings, whyNoRegistry } from '../helpers/node-runtimes.ts';
import { expressionProblems, parsePrometheusText } from '../helpers/prometheus-text.ts';
import { isSlowRun, slowIt } from '../helpers/rounds.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { serveChain } from '../service/contract/served-chain.ts';
import { packInto } from './packed-program.ts';

const run = promisify(execFile);
const DIST = dirname(GASTOP);
const MODULES = join(DIST, '../node_modules');
const PRIVATE_KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const ETHERS = 'ethers@6.17.0';
const HARDHAT = ['hardhat@3.18.0', 'solc@0.8.30'];
const RUNTIMES = ['bun@1.4.5', 'deno@2.9.6'];

const noRegistry = isSlowRun ? await whyNoRegistry() : 'in npm run test:slow only';
const title = (text: string) => (noRegistry === null ? text : `${text} (not tried: ${noRegistry})`);

let front: Front;

const anvil = await startAnvil({ chainId: 1 });
await anvil.sendTransfers([1e9, 2e9, 3e9]);
const served = await serveChain(anvil.url);
const key = await served.key('open');
const headers = { [API_KEY_HEADER]: key };
await waitFor(async () => (await fetch(`${served.origin}${BASE_PATH}/gas/current`, { headers })).ok);
front = await startFront(served.origin);
const folder = await openProject();

afterAll(async () => {
  await front?.stop();
  await served?.stop();
  await anvil?.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

type Front = Awaited<ReturnType<typeof startFront>>;

async function startFront(origin: string) {
  const given: GasCurrent[] = [];
  const server = createServer(async ({ url = '', headers }, response) => {
    const { authorization = '', [API_KEY_HEADER]: own } = headers;
    const sent = own === undefined ? { authorization } : { [API_KEY_HEADER]: String(own) };
    const answer = await fetch(origin + url, { headers: sent });
    const text = await answer.text();
    if (answer.ok && url.endsWith('/gas/current')) given.push(GasCurrent.parse(JSON.parse(text)));
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  });
  return { ...(await listen(server)), given };
}

/** In `npm test` the packages are linked; in `npm run test:slow` the tarball is installed. */
async function openProject(): Promise<string> {
  const place = mkdtempSync(join(tmpdir(), 'gastop-programs-'));
  const modules = join(place, 'node_modules');
  mkdirSync(join(place, 'bin'));
  symlinkSync(GASTOP, join(place, 'bin/gastop'));
  writeFileSync(join(place, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  if (isSlowRun) {
    const { tarball } = await packInto(place);
    const others = noRegistry === null ? [ETHERS, ...HARDHAT, ...RUNTIMES] : [];
    const settings =
      noRegistry === null ? registrySettings() : { npm_config_registry: 'http://127.0.0.1:9/' };
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...others], {
      cwd: place,
      env: { PATH: path(place), HOME: place, ...settings },
    });
  } else {
    mkdirSync(modules);
    symlinkSync(join(DIST, '..'), join(modules, 'gastop'));
  }
  symlinkSync(join(MODULES, 'viem'), join(modules, 'viem'));
  mkdirSync(join(modules, '@types'), { recursive: true });
  rmSync(join(modules, '@types/node'), { recursive: true, force: true });
  symlinkSync(join(MODULES, '@types/node'), join(modules, '@types/node'));
  return place;
}

function path(place: string): string {
  return [join(place, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
}

const environment = (more: Readonly<Record<string, string>> = {}) => ({
  PATH: path(folder),
  HOME: folder,
  XDG_DATA_HOME: folder,
  GASTOP_API_KEY: key,
  ...more,
});

function write(name: string, code: string): string {
  const text = code
    .replaceAll('http://127.0.0.1:8787', front.origin)
    .replaceAll('http://127.0.0.1:8545', anvil.url);
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** A busy machine may take more than the second that `gasFees` gives the service. */
const LONG_SECOND = `const { setTimeout: own } = globalThis;
  globalThis.setTimeout = (act, ms, ...more) => own(act, ms > 900 && ms <= 1_000 ? 300_000 : ms, ...more);`;

/** Has a block come: prices of a chain that has stood still since the last example would be stale. */
async function freshPrices(): Promise<void> {
  await anvil.mine();
  const head = Number(await anvil.rpc('eth_blockNumber'));
  const headers = { [API_KEY_HEADER]: key };
  await waitFor(async () => {
    const response = await fetch(`${served.origin}${BASE_PATH}/gas/current`, { headers });
    return response.ok && GasCurrent.parse(await response.json()).blockNumber === head;
  });
}

const currentPrices = async () =>
  GasCurrent.parse(await (await fetch(`${served.origin}${BASE_PATH}/gas/current`, { headers })).json());

async function runExample(heading: string): Promise<{ stdout: string; stderr: string }> {
  const [code = ''] = examples(heading);
  const file = write(`${heading.replaceAll(' ', '-')}.ts`, code);
  const before = `data:text/javascript,${encodeURIComponent(LONG_SECOND)}`;
  await freshPrices();
  return run(process.execPath, ['--import', before, file], {
    cwd: folder,
    env: environment({ PRIVATE_KEY }),
  });
}

interface Sent {
  readonly maxFeePerGas: number;
  readonly maxPriorityFeePerGas: number;
  readonly blockNumber: number;
}

async function sentBy({ stdout }: { readonly stdout: string }): Promise<Sent> {
  const hash = /0x[\da-f]{64}\s*$/.exec(stdout)?.[0].trim();
  const sent = (await anvil.rpc('eth_getTransactionByHash', [hash])) as Record<keyof Sent, string>;
  return {
    maxFeePerGas: Number(sent.maxFeePerGas),
    maxPriorityFeePerGas: Number(sent.maxPriorityFeePerGas),
    blockNumber: Number(sent.blockNumber),
  };
}

const averageCaps = () => {
  const { maxFeePerGas, maxPriorityFeePerGas } = front.given.at(-1)?.lanes.average ?? {};
  return { maxFeePerGas, maxPriorityFeePerGas };
};

describe('an example', () => {
  slowIt('of the client shows the prices', async () => {
    const { stdout, stderr } = await runExample('The client');
    expect(stderr).toBe('');
    const { blockNumber, basePrice, averagePrice } = front.given.at(-1) ?? {};
    expect(stdout).toMatch(`block ${blockNumber}: base fee ${basePrice} wei, average ${averagePrice} wei, `);
  });

  it.runIf(noRegistry === null).each([
    ['Bun', '@oven', 'bin/bun', []],
    ['Deno', '@deno', 'deno', ['run', '--allow-net', '--allow-env', '--node-modules-dir=manual']],
  ] as const)(title('of the client shows the prices in %s, too'), async (_, scope, program, args) => {
    const file = write('client.ts', examples('The client')[0] ?? '');
    const [platform = ''] = readdirSync(join(folder, 'node_modules', scope));
    const command = join(folder, 'node_modules', scope, platform, program);
    const { stdout } = await run(command, [...args, file], { cwd: folder, env: environment() });
    expect(stdout).toMatch(`block ${front.given.at(-1)?.blockNumber}: base fee `);
  });

  slowIt("of viem sends with the lane's caps and is mined", async () => {
    const before = front.given.length;
    const output = await runExample('viem');
    expect(output.stderr).toBe('');
    const sent = await sentBy(output);
    expect(sent).toEqual({ ...averageCaps(), blockNumber: expect.any(Number) });
    expect(front.given.length).toBe(before + 1);
  });

  slowIt("of viem sends with viem's own fees once the service has ended", async () => {
    const before = front.given.length;
    const own = front;
    const ended = await startFront(served.origin);
    await ended.stop();
    front = { ...own, origin: ended.origin };
    const sent = await runExample('viem').finally(() => {
      front = own;
    });
    expect(sent.stderr).toMatch(/^fees are viem's own: nothing listens at 127\.0\.0\.1:\d+: /);
    expect((await sentBy(sent)).blockNumber).toBeGreaterThan(0);
    expect(front.given.length).toBe(before);
  });

  slowIt("of a shell script sends at the price, with the lane's caps", async () => {
    writeFileSync(join(folder, 'send.sh'), '#!/bin/sh\necho "$@"\n');
    chmodSync(join(folder, 'send.sh'), 0o755);
    const script = write('script.sh', examples('A shell script')[0] ?? '');
    await freshPrices();
    const { stdout, stderr } = await run('sh', [script], { cwd: folder, env: environment() });
    expect(stderr).toMatch(/^now [\d.]+ gwei: \S/);
    const { maxFeePerGas = 0, maxPriorityFeePerGas = 0 } = averageCaps();
    const [cap, tip] = [...stdout.matchAll(/([\d.]+)gwei/g)].map(([, gwei]) =>
      Math.round(Number(gwei) * 1e9),
    );
    expect([cap, tip]).toEqual([maxFeePerGas, maxPriorityFeePerGas]);
  });

  slowIt('of a CI gate deploys once the price has come, and fails where it does not', async () => {
    const [workflow = ''] = examples('A CI gate');
    const { steps } = parse(workflow).jobs.deploy;
    const { run: line, env } = steps.at(-1) as { run: string; env: Record<string, string> };
    expect(Object.keys(env)).toEqual(['GASTOP_URL', 'GASTOP_API_KEY', 'PRIVATE_KEY']);
    // As npx does with what a project has installed.
    const npx = join(folder, 'bin/npx');
    writeFileSync(npx, '#!/bin/sh\ntest "$1" = hardhat && exec echo "deployed: $*"\nexec "$@"\n');
    chmodSync(npx, 0o755);
    onTestFinished(() => rmSync(npx));
    const step = (command: string) =>
      run('sh', ['-c', command], {
        cwd: folder,
        env: environment({ GASTOP_URL: front.origin, PRIVATE_KEY }),
      });
    await freshPrices();
    expect((await step(line)).stdout).toContain('deployed: hardhat run scripts/deploy.ts');
    const tooCheap = line.replace('--below 20', '--below 0.000000001').replace('5h', '2s');
    expect(tooCheap).not.toBe(line);
    await expect(step(tooCheap)).rejects.toMatchObject({ code: 124, stdout: '' });
  });

  slowIt('of an AI agent has what gas costs, by the official MCP client', async () => {
    const files = { home: mkdtempSync(join(tmpdir(), 'gastop-agent-')) };
    onTestFinished(() => rmSync(files.home, { recursive: true, force: true, maxRetries: 3 }));
    const own = await createKey(files);
    const { origin } = await startServe(['--rpc', anvil.url], files);
    await waitFor(async () => (await fetch(`${origin}/readyz`)).ok);
    const [code = ''] = examples('An AI agent');
    mkdirSync(join(folder, 'node_modules/@modelcontextprotocol'), { recursive: true });
    rmSync(join(folder, 'node_modules/@modelcontextprotocol/client'), { recursive: true, force: true });
    symlinkSync(
      join(MODULES, '@modelcontextprotocol/client'),
      join(folder, 'node_modules/@modelcontextprotocol/client'),
    );
    writeFileSync(join(folder, 'agent.ts'), code.replace('http://127.0.0.1:8787', origin));
    const env = environment({ GASTOP_API_KEY: own });
    const { stdout } = await run(process.execPath, ['agent.ts'], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ chainId: 1, lanes: { average: expect.anything() } });
  });

  slowIt('of Starship prints the price', async () => {
    const [, toml = ''] = examples('tmux');
    const command = /^command = "(.*)"$/m.exec(toml)?.[1] ?? '';
    const env = environment({ GASTOP_URL: front.origin });
    expect((await run('sh', ['-c', command], { cwd: folder, env })).stdout).toMatch(/^[\d.]+ gwei\n$/);
  });

  slowIt('of tmux shows the price in the status line', async () => {
    const [config = ''] = examples('tmux');
    const shown = async (env: Readonly<Record<string, string>>) =>
      (await run('sh', ['-c', /#\((.*)\)/.exec(config)?.[1] ?? ''], { cwd: folder, env })).stdout;
    expect(await shown(environment({ GASTOP_URL: front.origin }))).toMatch(/^[\d.]+ gwei \S/);
    expect(await shown(environment({ GASTOP_URL: 'http://127.0.0.1:9' }))).toBe('no gas price\n');
    if (spawnSync('tmux', ['-V']).status !== 0) return;
    const file = write('tmux.conf', config);
    const told = await run(
      'tmux',
      ['-L', `gastop-${process.pid}`, '-f', file, 'start-server', ';', 'show', '-gv', 'status-right'],
      { env: environment() },
    );
    expect(told.stdout).toContain('gastop now --format');
  });

  it.runIf(noRegistry === null)(title("of ethers sends with the lane's caps and is mined"), async () => {
    const sent = await sentBy(await runExample('ethers 6'));
    expect(sent).toEqual({ ...averageCaps(), blockNumber: expect.any(Number) });
  });

  it.runIf(noRegistry === null)(title("of Hardhat deploys with the lane's caps"), async () => {
    const [config = '', script = ''] = examples('Hardhat 3');
    write('hardhat.config.ts', config);
    write('scripts/deploy.ts', script);
    write('contracts/Counter.sol', 'pragma solidity ^0.8.0;\ncontract Counter { uint256 public count; }\n');
    const env = environment({ PRIVATE_KEY, HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' });
    const hardhat = ['hardhat', 'run', 'scripts/deploy.ts', '--network', 'target'];
    await freshPrices();
    const sent = await sentBy(await run('npx', hardhat, { cwd: folder, env }));
    expect(sent).toEqual({ ...averageCaps(), blockNumber: expect.any(Number) });
  });

  slowIt("for Blocknative's clients shows the prices of the next block", async () => {
    const { stdout, stderr } = await runExample("Clients of Blocknative's gas API");
    expect(stderr).toBe('');
    const { blockNumber, nextBasePrice } = await currentPrices();
    expect(stdout).toContain(`block ${blockNumber + 1}: base fee ${Number(nextBasePrice) / 1e9} gwei, `);
  });

  it.runIf(noRegistry === null)(title("for Etherscan's clients shows the lanes by ethers"), async () => {
    const { stdout, stderr } = await runExample("Clients of Etherscan's gas oracle");
    expect(stderr).toBe('');
    const { blockNumber, averagePrice, highPrice } = await currentPrices();
    const [average, fast] = [averagePrice, highPrice].map((wei) => gweiString(BigInt(wei ?? -1)));
    expect(stdout).toContain(`block ${blockNumber}: ${average} gwei, fast ${fast} gwei`);
  });

  it('that is not run parses, and names what is there', async () => {
    const [foundry = ''] = examples('Not run by tests');
    expect(foundry).toContain('gastop wait --below 20 --timeout 12h -- sh -c');
  });

  it('of Prometheus scrapes the service, and names the rules that are there', async () => {
    const [config = ''] = examples('Prometheus');
    const { scrape_configs, rule_files, alerting } = parse(config);
    const [{ static_configs, metrics_path = '/metrics' }] = scrape_configs;
    const [target] = static_configs[0].targets;
    expect(`http://${target}`).toBe('http://127.0.0.1:8787');
    const Accept = 'text/plain;version=0.0.4;q=0.3,*/*;q=0.2';
    const page = await fetch(served.origin + metrics_path, { headers: { Accept } });
    expect(page.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const names = parsePrometheusText(await page.text()).map(({ name }) => name);
    expect(names).toContain('gastop_lane_price_wei');
    expect(filesBelow('docs/monitoring')).toEqual(expect.arrayContaining(rule_files));
    expect(alerting.alertmanagers[0].static_configs[0].targets).toEqual(['127.0.0.1:9093']);
    const [provision = '', panel = ''] = examples('Grafana');
    expect(parse(provision).providers).toEqual([
      { name: 'gastop', type: 'file', options: { path: '/var/lib/grafana/dashboards' } },
    ]);
    expect(expressionProblems(panel)).toEqual([]);
    for (const [name] of panel.matchAll(/gastop_\w+/g))
      expect(read('docs/METRICS.md')).toContain(`\`${name}\``);
  });

  it('of Alertmanager routes each of the rules to a receiver that it has', () => {
    const [config = ''] = examples('Alertmanager');
    const { route, receivers } = parse(config);
    const named = receivers.map(({ name }: { readonly name: string }) => name);
    const pattern = /^alertname =~ "(.+)"$/.exec(route.routes[0].matchers[0])?.[1] ?? '';
    const receiverOf = (alert: string) =>
      new RegExp(`^(?:${pattern})$`).test(alert) ? route.routes[0].receiver : route.receiver;
    const rules = parse(read('docs/monitoring/gastop-rules.yml')).groups[0].rules;
    const routed = rules.map(({ alert }: { readonly alert: string }) => receiverOf(alert));
    expect(routed).toEqual(['operators', 'traders', 'traders']);
    expect(named).toEqual(['operators', 'traders']);
  });
});

describe.runIf(isSlowRun)('the types', () => {
  const check = async (moduleResolution: 'bundler' | 'nodenext', more: object, files: readonly string[]) => {
    const strict = { strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022' };
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
    const compilerOptions = { ...strict, module, moduleResolution, ...more };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    return run(process.execPath, [join(MODULES, 'typescript/bin/tsc'), '-p', folder], { cwd: folder });
  };
  const PAGE = `
    import { type ClientErrorCode, createGasClient, type SnapshotView } from 'gastop/client';
    const gas = createGasClient({ url: 'https://gas.example.org', apiKey: undefined, fetch: (request) => fetch(request) });
    const snapshot: SnapshotView = await gas.gasCurrent({ signal: AbortSignal.timeout(1_000) });
    export const price: bigint = snapshot.lanes.average.price;
    export const rows: readonly { readonly mean: number }[] = (await gas.baseFee({ bucket: '1h' })).rows;
    export const code: ClientErrorCode = 'quota';
    // @ts-expect-error A price is no number.
    export const number: number = snapshot.lanes.fast.price;
    // @ts-expect-error The service is named by its URL.
    createGasClient({});
  `;

  it.each(['bundler', 'nodenext'] as const)(
    'of the client compile for a page with moduleResolution %s, declarations checked',
    async (moduleResolution) => {
      write('page.ts', PAGE);
      const more = { lib: ['es2022', 'dom'], types: [], skipLibCheck: false };
      expect(await check(moduleResolution, more, ['page.ts'])).toEqual({ stdout: '', stderr: '' });
    },
  );

  it.each(['bundler', 'nodenext'] as const)(
    'of the examples compile for Node with moduleResolution %s',
    async (moduleResolution) => {
      write('client.ts', examples('The client')[0] ?? '');
      write('viem.ts', examples('viem')[0] ?? '');
      const more = { types: ['node'], skipLibCheck: true };
      expect(await check(moduleResolution, more, ['client.ts', 'viem.ts'])).toEqual({
        stdout: '',
        stderr: '',
      });
    },
  );
});

describe.runIf(isSlowRun && chromiumPath() !== null)('a page', () => {
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium(chromiumPath() ?? '');
  });
  afterAll(() => chromium?.stop());

  it('of another origin shows the prices by the file of the client, where --cors lets it ask', async () => {
    const files = { home: folder };
    const own = await createKey(files);
    let html = '';
    const page = createServer(({ url }, response) => {
      if (url !== '/client.js') return void response.setHeader('content-type', 'text/html').end(html);
      response
        .setHeader('content-type', 'text/javascript')
        .end(readFileSync(join(folder, 'node_modules/gastop/dist/client.js')));
    });
    const site = await listen(page);
    onTestFinished(site.stop);
    const { origin } = await startServe(['--rpc', anvil.url, '--cors', site.origin], files);
    const headers = { [API_KEY_HEADER]: own };
    await waitFor(async () => (await fetch(`${origin}${BASE_PATH}/gas/current`, { headers })).ok);
    html = `<!doctype html><title>prices</title><p></p><script type="module">
      import { createGasClient } from './client.js';
      const show = (text) => { document.querySelector('p').textContent = text; };
      const gas = createGasClient({ url: '${origin}', apiKey: '${own}' });
      const stranger = createGasClient({ url: '${origin}', apiKey: 'gst_wrong' });
      const { code } = await stranger.gasCurrent().catch((error) => error);
      const { blockNumber, lanes } = await gas.gasCurrent();
      show([code, blockNumber, typeof lanes.average.price].join(' '));
    </script>`;
    const tab = await chromium.newPage();
    await tab.open(site.origin);
    await tab.until(`document.querySelector('p').textContent !== ''`);
    const head = Number(await anvil.rpc('eth_blockNumber'));
    expect(await tab.evaluate(`document.querySelector('p').textContent`)).toBe(`key ${head} bigint`);
  });
});

it('the package names what it exports', () => {
  expect(Object.keys(manifest.exports)).toEqual(['./client', './viem', './package.json']);
});
