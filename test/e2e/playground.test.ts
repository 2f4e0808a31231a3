import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CreatedAlert } from '../../src/contract/alerts.ts';
import { ADDED_ROUTES, OPENAPI_PATH, PLAYGROUND_PATH, V1_ROUTES } from '../../src/contract/routes.ts';
import { type Anvil, startAnvil } from '../helpers/anvil.ts';
import { type Chromium, chromiumPath, type Page, startChromium } from '../helpers/chromium.ts';
import { listen } from '../helpers/listen.ts';
import { isSlowRun } from '../helpers/rounds.ts';
import { type ServedChain, serveChain } from '../service/contract/served-chain.ts';

const path = chromiumPath();

let anvil: Anvil;
let served: ServedChain;
let chromium: Chromium;
let key: string;

beforeAll(async () => {
  if (path === null) return;
  anvil = await startAnvil({ noMining: true });
  await anvil.sendTransfers([1e9, 2e9]);
  await anvil.mine(3);
  served = await serveChain(anvil.url);
  chromium = await startChromium(path);
  key = await served.key('open');
});

afterAll(async () => {
  await chromium?.stop();
  await served?.stop();
  await anvil?.stop();
});

const inBrowser = (title: string, act: () => Promise<void>, isTried = true) =>
  test.runIf(isTried)(title, async ({ skip }) => {
    if (path === null) skip('there is no Chromium');
    await act();
  });

async function openPlayground(root = served.origin): Promise<Page> {
  const page = await chromium.newPage();
  await page.open(root + PLAYGROUND_PATH);
  await page.until(`document.querySelectorAll('details.route').length > 0`);
  return page;
}

async function openWithKey(root?: string): Promise<Page> {
  const page = await openPlayground(root);
  await page.click('#key');
  await page.type(key);
  return page;
}

const card = (route: string) => `[data-route=${JSON.stringify(route)}]`;

async function unfold(page: Page, route: string): Promise<void> {
  await page.click(`${card(route)} > summary`);
  await page.until(`document.querySelector('${card(route)} .send') !== null`);
}

async function sendAndRead(page: Page, route: string): Promise<{ status: string; body: string }> {
  const isFolded = await page.evaluate(`document.querySelector('${card(route)} .send') === null`);
  if (isFolded) await unfold(page, route);
  const outcome = `${card(route)} .outcome`;
  await page.evaluate(`document.querySelector('${outcome}')?.remove()`);
  await page.click(`${card(route)} .send`);
  await page.until(`document.querySelector('${outcome}') !== null`);
  return (await page.evaluate(`({
    status: document.querySelector('${outcome} .status').textContent,
    body: document.querySelector('${card(route)} .body')?.textContent ?? '',
  })`)) as { status: string; body: string };
}

function complaints(page: Page): string[] {
  return page.events
    .filter(
      ({ method, params }) =>
        method === 'Runtime.exceptionThrown' ||
        method === 'Audits.issueAdded' ||
        method === 'Network.loadingFailed' ||
        (method === 'Runtime.consoleAPICalled' && params.type !== 'log') ||
        method === 'Log.entryAdded',
    )
    .map((event) => JSON.stringify(event));
}

const hostsAsked = (page: Page) =>
  page.events
    .filter(({ method }) => method === 'Network.requestWillBeSent')
    .map(({ params }) => new URL(String((params.request as { url: string }).url)).origin);

inBrowser(
  'without any network the page loads, lists every route and answers a question with the key that was typed',
  async () => {
    const page = await openPlayground();
    const listed = await page.evaluate(
      `[...document.querySelectorAll('details.route')].map((each) => each.dataset.route)`,
    );
    const named = (routes: typeof V1_ROUTES) =>
      routes.map(({ method, path: at }) => `${method.toUpperCase()} ${at}`);
    expect((listed as string[]).toSorted()).toEqual(named([...V1_ROUTES, ...ADDED_ROUTES]).toSorted());
    const beyond = await page.evaluate(
      `[...document.querySelectorAll('details.route')]
        .filter((each) => each.querySelector('.badge')?.textContent === 'beyond v1')
        .map((each) => each.dataset.route)`,
    );
    expect((beyond as string[]).toSorted()).toEqual(named(ADDED_ROUTES).toSorted());
    expect((listed as string[]).length - (beyond as string[]).length).toBe(26);

    await page.click('#key');
    await page.type(key);
    const answer = await sendAndRead(page, 'GET /gas/current');
    expect(answer.status).toBe('200 OK');
    expect(JSON.parse(answer.body)).toMatchObject({ chainId: 31_337, blockNumber: 3 });

    expect(complaints(page)).toEqual([]);
    expect(new Set(hostsAsked(page))).toEqual(new Set([served.origin]));
  },
);

inBrowser(
  'the key is in the memory of the page: not in its attributes, address, storage or curl line; forgotten on demand and on reload',
  async () => {
    const page = await openWithKey();
    expect((await sendAndRead(page, 'GET /gas/trend')).status).toBe('200 OK');
    const left = (await page.evaluate(`(async () => JSON.stringify([
    document.documentElement.outerHTML, location.href, document.cookie, document.title, history.state,
    { ...localStorage }, { ...sessionStorage }, await caches?.keys(), await indexedDB.databases(),
  ]))()`)) as string;
    expect(left).toContain('$GASTOP_API_KEY');
    expect(left).not.toContain(key);
    const secret = key.split('_')[2] ?? key;
    expect(left).not.toContain(secret);
    const asked = page.events.filter(({ params }) => JSON.stringify(params).includes(secret));
    expect(asked.map(({ method }) => method)).not.toContain('Runtime.consoleAPICalled');
    for (const { params } of asked)
      expect(String((params.request as { url?: string } | undefined)?.url ?? '')).not.toContain(secret);

    await page.click('#forget');
    expect(await page.evaluate(`document.querySelector('#key').value`)).toBe('');
    const refused = await sendAndRead(page, 'GET /gas/trend');
    expect(refused.status).toBe('401 Unauthorized');
    expect(JSON.parse(refused.body)).toMatchObject({ errorCode: 'api_key_missing' });
    expect(await page.evaluate('document.activeElement.id')).toBe('key');

    await page.type(key);
    await page.open(served.origin + PLAYGROUND_PATH);
    expect(await page.evaluate(`document.querySelector('#key').value`)).toBe('');
  },
  isSlowRun,
);

inBrowser(
  'parameters are filled in by their kind, refusals name them, and a header asks only for what is new',
  async () => {
    const page = await openWithKey();
    await unfold(page, 'GET /metrics/priority-fee');
    const field = (name: string) => `[id="priorityFee-query-${name}"]`;
    expect(
      await page.evaluate(
        `[...document.querySelector('${field('percentile')}').options].map((each) => each.value)`,
      ),
    ).toEqual(['', 'p10', 'p25', 'p50', 'p75', 'p90', 'p95', 'p99']);
    await page.evaluate(`document.querySelector('${field('percentile')}').value = 'p90'`);
    await page.click(field('size'));
    await page.type('0');
    const curl = `document.querySelector('${card('GET /metrics/priority-fee')} .curl').textContent`;
    expect(await page.evaluate(curl)).toBe(
      `curl -sS -H "x-api-key: $GASTOP_API_KEY" '${served.origin}/be/api/v1/metrics/priority-fee?size=0&percentile=p90'`,
    );
    const refused = await sendAndRead(page, 'GET /metrics/priority-fee');
    expect(refused.status).toBe('400 Bad Request');
    expect(JSON.parse(refused.body)).toMatchObject({ details: [{ path: 'size' }] });

    expect((await sendAndRead(page, 'GET /gas/current')).status).toBe('200 OK');
    await page.click('[id="gasCurrent-header-If-None-Match"]');
    await page.type('*');
    expect((await sendAndRead(page, 'GET /gas/current')).status).toBe('304 Not Modified');

    await unfold(page, 'GET /metrics/tx/{hash}');
    await page.click(`${card('GET /metrics/tx/{hash}')} .send`);
    await page.until(`document.querySelector('${card('GET /metrics/tx/{hash}')} .problem') !== null`);
    expect(await page.evaluate('document.activeElement.id')).toBe('tx-path-hash');
  },
  isSlowRun,
);

inBrowser(
  'an alert is made, disabled and deleted on the page, from bodies that it proposes',
  async () => {
    const page = await openWithKey();
    const made = await sendAndRead(page, 'POST /alerts');
    expect(made.status).toBe('201 Created');
    const { id } = CreatedAlert.parse(JSON.parse(made.body));
    const curl = (await page.evaluate(
      `document.querySelector('${card('POST /alerts')} .curl').textContent`,
    )) as string;
    expect(curl).toContain('-X POST');
    expect(curl).toContain("-H 'Content-Type: application/json'");

    await page.evaluate(`(() => {
    const body = document.querySelector('[id="postAlerts-body"]');
    body.value = '{"thresholdGwei": 0}';
    body.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
    const refused = await sendAndRead(page, 'POST /alerts');
    expect(refused.status).toBe('400 Bad Request');
    expect(JSON.parse(refused.body)).toMatchObject({
      details: expect.arrayContaining([{ path: 'thresholdGwei', message: 'must be above 0' }]),
    });

    await unfold(page, 'PUT /alerts/{id}/status');
    await page.click('[id="putAlertStatus-path-id"]');
    await page.type(id);
    const disabled = await sendAndRead(page, 'PUT /alerts/{id}/status');
    expect([disabled.status, JSON.parse(disabled.body)]).toMatchObject([
      '200 OK',
      { id, status: 'DISABLED' },
    ]);

    await unfold(page, 'DELETE /alerts/{id}');
    await page.click('[id="deleteAlert-path-id"]');
    await page.type(id);
    expect((await sendAndRead(page, 'DELETE /alerts/{id}')).status).toBe('204 No Content');
    // The browser itself says that something was refused.
    expect(complaints(page).filter((each) => !each.includes('status of 400'))).toEqual([]);
  },
  isSlowRun,
);

inBrowser(
  'behind a proxy that adds a path it works the same, and what a document says is text, whatever it says',
  async () => {
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    const proxy = createServer(async (incoming, outgoing) => {
      const inner = incoming.url?.startsWith('/gas/prices/')
        ? incoming.url.slice('/gas/prices'.length)
        : '/nowhere';
      const answer = await fetch(served.origin + inner, {
        headers: { 'x-api-key': String(incoming.headers['x-api-key'] ?? '') },
      });
      const text = await answer.text();
      const policy = answer.headers.get('content-security-policy') ?? '';
      outgoing.writeHead(answer.status, {
        'content-type': String(answer.headers.get('content-type')),
        'content-security-policy': policy,
      });
      outgoing.end(
        inner === OPENAPI_PATH
          ? text.replaceAll('What gas costs now', JSON.stringify(evil).slice(1, -1))
          : text,
      );
    });
    const { origin, stop } = await listen(proxy);
    try {
      const page = await openWithKey(`${origin}/gas/prices`);
      expect(
        await page.evaluate(`document.querySelector('${card('GET /gas/current')} .said').textContent`),
      ).toBe(evil);
      expect(await page.evaluate('document.querySelectorAll("img, body script").length')).toBe(0);
      expect((await sendAndRead(page, 'GET /gas/current')).status).toBe('200 OK');
      expect(await page.evaluate('document.title')).not.toBe('owned');
      expect(complaints(page)).toEqual([]);
    } finally {
      await stop();
    }
  },
  isSlowRun,
);

inBrowser(
  'the page may load and send nothing but to its own service, and nothing inline runs',
  async () => {
    const page = await openPlayground();
    expect(
      await page.evaluate(
        `fetch('${anvil.url}', { method: 'POST', body: '{}' }).then(() => 'sent', () => 'refused')`,
      ),
    ).toBe('refused');
    expect(
      await page.evaluate(`(() => {
    const script = document.createElement('script');
    try { script.textContent = 'window.ran = true'; document.body.append(script); } catch {}
    return window.ran === true;
  })()`),
    ).toBe(false);
    expect(JSON.stringify(page.events)).toContain('ContentSecurityPolicyIssue');
    const { headers } = await fetch(served.origin + PLAYGROUND_PATH);
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of [
      "default-src 'none'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ]) {
      expect(policy.split('; ')).toContain(rule);
    }
    expect(policy).not.toContain('unsafe');
  },
  isSlowRun,
);

inBrowser(
  'a keyboard is enough, every field has its label, and all text stands out in light, in dark and on a phone',
  async () => {
    const page = await openPlayground();
    await page.press('Tab');
    await page.press('Enter');
    await page.press('Tab');
    await page.press('Enter');
    await page.until(`document.querySelector('${card('GET /gas/current')} .send') !== null`);
    await page.press('Tab');
    await page.press('Tab');
    await page.press('Enter');
    await page.until(`document.activeElement.id === 'key'`);
    await page.type(key);
    expect((await sendAndRead(page, 'GET /gas/current')).status).toBe('200 OK');

    await page.evaluate(
      `document.querySelectorAll('details.route').forEach((each) => { each.open = true; })`,
    );
    await page.until(
      `document.querySelectorAll('.send').length === ${V1_ROUTES.length + ADDED_ROUTES.length}`,
    );
    await page.evaluate(
      `document.querySelectorAll('.response-schema').forEach((each) => { each.open = true; })`,
    );
    await page.until(
      `[...document.querySelectorAll('.response-schema')].every((each) => each.childElementCount === 2)`,
    );
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('input, select, textarea')].filter((each) => each.labels.length === 0).length`,
      ),
    ).toBe(0);
    expect(
      await page.evaluate(`(() => {
    const ids = [...document.querySelectorAll('[id]')].map((each) => each.id);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
  })()`),
    ).toEqual([]);
    for (const [scheme, width] of SCHEMES) {
      await page.send('Emulation.setEmulatedMedia', {
        features: [{ name: 'prefers-color-scheme', value: scheme }],
      });
      await page.send('Emulation.setDeviceMetricsOverride', {
        width,
        height: 800,
        deviceScaleFactor: 1,
        mobile: false,
      });
      expect(await page.evaluate(faintTexts), `${scheme}, ${width} wide`).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
        `${width} wide`,
      ).toBe(0);
    }
  },
);

/** A phone in the dark, and in `npm run test:slow` a screen and the light as well. */
const SCHEMES = [
  ['dark', 360],
  ...(isSlowRun
    ? ([
        ['light', 1280],
        ['dark', 1280],
        ['light', 360],
      ] as const)
    : []),
] as const;

/** Texts whose contrast is below 4.5 to 1 (WCAG 2.2, 1.4.3); what is disabled is exempt. */
const faintTexts = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const painted = new Map();
  const rgba = (colour) => {
    if (!painted.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      painted.set(colour, canvas.getImageData(0, 0, 1, 1).data);
    }
    return painted.get(colour);
  };
  const luminance = (colour) => {
    const [r, g, b] = [...rgba(colour)].map((each) => each / 255).map((each) => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let each = element; each !== null; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (rgba(colour)[3] === 255) return colour;
    }
    return 'white';
  };
  const faint = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (texts.currentNode.data.trim() === '' || element.closest('button:disabled, noscript') !== null || !element.checkVisibility()) continue;
    seen += 1;
    const [low, high] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort((a, b) => a - b);
    const contrast = (high + 0.05) / (low + 0.05);
    if (contrast < 4.5) faint.add(element.tagName + '.' + element.className + ' ' + contrast.toFixed(2));
  }
  if (seen < 500) faint.add('only ' + seen + ' texts were there to be judged');
  return [...faint];
})()`;
