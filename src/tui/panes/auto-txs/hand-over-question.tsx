import { describeTarget, type PricedAutoTx } from '../../../client/views/describe-auto-txs.ts';
import { useMonitor } from '../../data/queries.ts';
import { Question } from '../../input/confirm.tsx';
import { pastedText } from './auto-tx-form-lines.ts';
import { transactionText } from './transaction-lines.ts';
import type { Pasted } from './use-pasted-transaction.ts';

interface HandOverQuestionProps {
  readonly host: string;
  readonly pasted: Pasted;
  readonly order: PricedAutoTx;
  readonly width: number;
  readonly height: number;
  readonly onYes: () => void;
  readonly onNo: () => void;
}

/** Who gets what is signed is said before they get it. */
export function HandOverQuestion({ host, pasted, order, ...rest }: HandOverQuestionProps) {
  const { isPlain = false } = useMonitor();
  const what = pasted.kind === 'transaction' ? [transactionText(pasted.transaction)] : [];
  return (
    <Question
      title={`Hand it over to ${host}?`}
      lines={[
        ...(pastedText(pasted) === null ? [] : [`${pastedText(pasted)}:`]),
        ...what,
        `It is to go out at ${describeTarget(order)}.`,
        'Who has it can send it at any time, whatever the price:',
        'only a service that you trust should get it.',
        ...(isPlain
          ? [
              'It travels unencrypted, and whoever reads it on the way',
              'can send it, too; use https:// if it can.',
            ]
          : []),
      ]}
      yes="Hand it over"
      no="Not yet"
      {...rest}
    />
  );
}
