/** Headless Chromium over the DevTools protocol; it resolves no name and reaches nothing but 127.0.0.1. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Where Chromium is: `CHROMIUM_PATH`, or on `PATH`; `null`: nowhere. */
export function chromiumPath(): string | null {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== '') return existsSync(named) ? named : null;
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = ['chromium', 'chromium-browser'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return candidates.find((path) => existsSync(path)) ?? null;
}

const PATIENCE_MS = 60_000;

type Params = Readonly<Record<string, unknown>>;

interface BrowserEvent {
  readonly method: string;
  readonly params: Params;
}

export type Chromium = Awaited<ReturnType<typeof startChromium>>;
export type Page = Awaited<ReturnType<typeof openedPage>>;

export async function startChromium(path: string) {
  const profile = await mkdtemp(join(tmpdir(), 'gastop-chromium-'));
  const child = spawn(
    path,
    [
      '--headless=new',
      '--remote-debugging-port=0',
      `--user-data-dir=${profile}`,
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      '--no-first-run',
      '--no-default-browser-check',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      // Its own sandbox does not work as root, which is what containers run as.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      'about:blank',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  const exited = once(child, 'exit');
  const stop = async () => {
    endGroup(child);
    await exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.once('exit', () => endGroup(child));
  try {
    const connection = await connect(await debuggerUrl(child));
    return {
      newPage: async () => {
        const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' });
        const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
        return openedPage(connection, String(sessionId));
      },
      stop: async () => {
        connection.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The browser is several processes; they are one group, and it is ours. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {}
}

async function debuggerUrl(child: ChildProcess): Promise<string> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length > 100_000) return;
      output += text;
      const url = /DevTools listening on (ws:\/\/\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`Chromium did not start: ${output.slice(-500)}`)));
  });
}

type Connection = Awaited<ReturnType<typeof connect>>;

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Params;
  readonly result?: Params;
  readonly error?: { readonly message: string };
}

async function connect(url: string) {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<Params>>();
  const listeners = new Map<string, (event: BrowserEvent) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, sessionId, method, params = {}, result, error } = JSON.parse(String(data)) as Message;
    if (id === undefined) {
      if (method !== undefined) listeners.get(sessionId ?? '')?.({ method, params });
      return;
    }
    const waiter = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) waiter?.resolve(result ?? {});
    else waiter?.reject(new Error(`Chromium: ${error.message}`));
  });
  socket.addEventListener('close', () => {
    for (const waiter of waiting.values()) waiter.reject(new Error('Chromium has gone'));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true });
    socket.addEventListener('error', () => reject(new Error('Chromium cannot be reached')), { once: true });
  });
  return {
    send(method: string, params: Params = {}, sessionId?: string): Promise<Params> {
      last += 1;
      const id = last;
      const waiter = Promise.withResolvers<Params>();
      const late = setTimeout(() => {
        waiting.delete(id);
        waiter.reject(new Error(`Chromium did not answer ${method} ${JSON.stringify(params).slice(0, 300)}`));
      }, PATIENCE_MS);
      waiting.set(id, waiter);
      socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
      return waiter.promise.finally(() => clearTimeout(late));
    },
    listen: (sessionId: string, listener: (event: BrowserEvent) => void) =>
      listeners.set(sessionId, listener),
    close: () => socket.close(),
  };
}

const KEYS = {
  Enter: { code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' },
  Tab: { code: 'Tab', windowsVirtualKeyCode: 9 },
  ' ': { code: 'Space', windowsVirtualKeyCode: 32, text: ' ' },
} as const;

async function openedPage(connection: Connection, sessionId: string) {
  const events: BrowserEvent[] = [];
  let loaded = Promise.withResolvers<void>();
  connection.listen(sessionId, (event) => {
    events.push(event);
    if (event.method === 'Page.loadEventFired') loaded.resolve();
  });
  const send = (method: string, params: Params = {}) => connection.send(method, params, sessionId);
  for (const domain of ['Page', 'Runtime', 'Log', 'Network', 'Audits']) await send(`${domain}.enable`);

  const evaluate = async (expression: string): Promise<unknown> => {
    const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (answer.exceptionDetails !== undefined) {
      throw new Error(`${expression}: ${JSON.stringify(answer.exceptionDetails).slice(0, 1_000)}`);
    }
    return (answer.result as { value?: unknown }).value;
  };
  return {
    events,
    send,
    evaluate,
    open: async (url: string) => {
      loaded = Promise.withResolvers();
      const { errorText } = await send('Page.navigate', { url });
      if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
      await loaded.promise;
    },
    until: async (expression: string) => {
      const held = `new Promise((done) => {
        const look = () => { if (${expression}) done(true); else setTimeout(look, 20); };
        look();
      })`;
      await evaluate(held);
    },
    type: async (text: string) => {
      await send('Input.insertText', { text });
    },
    press: async (key: keyof typeof KEYS) => {
      await send('Input.dispatchKeyEvent', { type: 'keyDown', key, ...KEYS[key] });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: KEYS[key].code });
    },
    click: async (selector: string) => {
      // What is loaded late moves the page under the mouse: it presses again until the element has heard it.
      for (let isHeard = false; !isHeard; ) {
        const middle = (await evaluate(`(() => {
          const found = document.querySelectorAll(${JSON.stringify(selector)});
          if (found.length !== 1) throw new Error(found.length + ' elements are ' + ${JSON.stringify(selector)});
          found[0].scrollIntoView({ block: 'center', behavior: 'instant' });
          globalThis.isClicked = false;
          found[0].addEventListener('click', () => { globalThis.isClicked = true; }, { once: true, capture: true });
          const box = found[0].getBoundingClientRect();
          return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        })()`)) as { x: number; y: number };
        const button = { ...middle, button: 'left', clickCount: 1 };
        await send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button });
        await send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button });
        isHeard = (await evaluate('globalThis.isClicked')) === true;
      }
    },
  };
}
