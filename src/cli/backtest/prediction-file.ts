import { type FileHandle, open, unlink } from 'node:fs/promises';
import { type Horizon, LANES, type Lane, type LaneName } from '../../core/advice.ts';
import { CliError, usageError } from '../cli-error.ts';
import { EXIT } from '../exit-code.ts';
import { fileFailureReason } from '../file-failure.ts';

/** Of an advice, what is written of it. */
export interface WrittenPrediction {
  readonly block: number;
  readonly advice: {
    readonly lanes: Readonly<
      Record<LaneName, Pick<Lane, 'maxFeePerGas' | 'maxPriorityFeePerGas' | 'withinBlocks' | 'probability'>>
    >;
    readonly recommendation: {
      readonly alternatives: readonly Pick<Horizon, 'horizonSec' | 'price' | 'probability'>[];
    };
  };
}

/** Lines are gathered to this many characters before they are written. */
const CHUNK = 65_536;

/** Predictions being written, a line of JSON for each block: whole lines only. */
export class PredictionFile {
  readonly #file: FileHandle;
  readonly #path: string;
  #lines: string[] = [];
  #size = 0;
  #end = 0;
  #count = 0;

  private constructor(file: FileHandle, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** @throws CliError (usage) where the file exists and `force` is not set, or cannot be made. */
  static async create(path: string, force: boolean): Promise<PredictionFile> {
    try {
      return new PredictionFile(await open(path, force ? 'w' : 'wx'), path);
    } catch (error) {
      throw usageError(`--predictions: ${path} ${fileFailureReason(error)}`);
    }
  }

  get count(): number {
    return this.#count;
  }

  /** Resolves once there is room for more. @throws CliError where the disk takes no more. */
  async add(prediction: WrittenPrediction): Promise<void> {
    const line = encodePrediction(prediction);
    this.#lines.push(line);
    this.#size += line.length;
    this.#count += 1;
    if (this.#size >= CHUNK) await this.#flush();
  }

  /** Everything is on disk; a file without a line is removed. */
  async close(): Promise<void> {
    try {
      await this.#flush();
      await this.#file.sync();
    } finally {
      await this.#file.close();
      if (this.#count === 0) await unlink(this.#path);
    }
  }

  async #flush(): Promise<void> {
    const lines = this.#lines;
    const bytes = Buffer.from(lines.join(''));
    this.#lines = [];
    this.#size = 0;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#end + done);
        done += bytesWritten;
      }
    } catch (error) {
      this.#count -= lines.length;
      // Half a line would be taken for a broken file.
      await this.#file.truncate(this.#end).catch(() => {});
      const message = `${this.#path} ${fileFailureReason(error)}; ${this.#count} predictions are in it`;
      throw new CliError(EXIT.failed, message, [], { cause: error });
    }
    this.#end += bytes.length;
  }
}

/** One prediction as a line with its newline; wei as JSON integers, exact whatever their size. */
export function encodePrediction({ block, advice }: WrittenPrediction): string {
  const lanes = LANES.map((lane) => {
    const { maxFeePerGas, maxPriorityFeePerGas, withinBlocks, probability } = advice.lanes[lane];
    return `"${lane}":{"maxFeePerGas":${maxFeePerGas},"maxPriorityFeePerGas":${maxPriorityFeePerGas},"withinBlocks":${withinBlocks},"probability":${probability}}`;
  });
  const targets = advice.recommendation.alternatives.map(
    ({ horizonSec, price, probability }) =>
      `{"horizonSec":${horizonSec},"price":${price},"probability":${probability}}`,
  );
  return `{"block":${block},"lanes":{${lanes.join(',')}},"targets":[${targets.join(',')}]}\n`;
}
