import { expect, test } from 'vitest';
import { autoTxListLines } from '../../src/cli/text/auto-txs.ts';
import { autoTxView } from '../tui/fake-auto-txs.ts';

test('the list names the well-known function that one calls, and else its selector', () => {
  const data = `0xa9059cbb${'7099'.padStart(64, '0')}${'1'.padStart(64, '0')}` as const;
  const known = autoTxView({ id: 'known', data, value: 0n });
  const unknown = autoTxView({ id: 'unknown', data: '0x12345678', value: 0n });
  const lines = autoTxListLines([known, unknown], null, null).join('\n');
  expect(lines).toContain('transfer on 0x7099…79C8');
  expect(lines).toContain('0x12345678 on 0x7099…79C8');
});
