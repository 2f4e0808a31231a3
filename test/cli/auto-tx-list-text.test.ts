import { expect, test } from 'vitest';
import { autoTxListLines } from '../../src/cli/text/auto-txs.ts';
import { autoTxView } from '../tui/fake-auto-txs.ts';

test('the list names the well-known function that one calls, and else its selector', () => {
  const known = autoTxView({ id: 'known', data: '0xa9059cbb', value: 0n });
  const unknown = autoTxView({ id: 'unknown', data: '0x12345678', value: 0n });
  const callName = ({ id }: { readonly id: string }) => (id === 'known' ? 'transfer' : null);
  const lines = autoTxListLines([known, unknown], null, null, '…', callName).join('\n');
  expect(lines).toContain('transfer on 0x7099…79C8');
  expect(lines).toContain('0x12345678 on 0x7099…79C8');
});
