import { IncomingMessage, type ServerResponse } from 'node:http';
import { RequestRecord } from './record.ts';

/** A request with what is learned of it; maps by request would cost the garbage collector a quarter of the time. */
export class RecordedMessage extends IncomingMessage {
  /** Replaced once what is sent is no longer what is being worked out. */
  record = new RequestRecord();
  /** `null` until the server hands both over. */
  outgoing: ServerResponse | null = null;
}
