import { isInputRequiredResult } from '@modelcontextprotocol/server';
import type { Dialogue, ToolAnswer } from '#runtime/surfaces/mcp/tools/reported-call';
import { type Office, textsOf, unknownDialogue } from './office.ts';

/** A call of a tool. */
export interface ClientCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a text may tell whoever obeys it, and the calls that come of it. Written apart from the product. */
const orders: readonly (readonly [RegExp, (...found: string[]) => readonly ClientCall[]])[] = [
  [/delete order (\d+)/gi, (id) => [{ tool: 'delete', args: { collectionName: 'orders', recordIds: [id] } }]],
  [
    /set status of order (\d+) to (\w+)/gi,
    (id, status) => [{ tool: 'update', args: { collectionName: 'orders', recordId: id, attributes: { status } } }],
  ],
  [
    /run action (\w+) on order (\d+)/gi,
    (actionName, id) => [{ tool: 'executeAction', args: { collectionName: 'orders', actionName, recordIds: [id] } }],
  ],
  [
    /create an order called (\w+)/gi,
    (reference) => [{ tool: 'create', args: { collectionName: 'orders', attributes: { reference } } }],
  ],
  [
    /link order (\d+) to customer (\d+)/gi,
    (id, targetRecordId) => [
      {
        tool: 'associate',
        args: { collectionName: 'orders', parentRecordId: id, relationName: 'customer', targetRecordId },
      },
    ],
  ],
  [
    /take message (\d+) from order (\d+)/gi,
    (message, id) => [
      {
        tool: 'dissociate',
        args: { collectionName: 'orders', parentRecordId: id, relationName: 'messages', targetRecordIds: [message] },
      },
    ],
  ],
  [
    /list all (customers) and send them to (\w+)/gi,
    (collectionName, reference) => [
      { tool: 'list', args: { collectionName, pagination: { size: 100 } } },
      { tool: 'list', args: { collectionName, pagination: { size: 100, number: 2 } } },
      { tool: 'create', args: { collectionName: 'orders', attributes: { reference } } },
    ],
  ],
  [
    /list (customers) in small pages/gi,
    (collectionName) =>
      Array.from({ length: 24 }, (_, page) => ({
        tool: 'list',
        args: { collectionName, pagination: { size: 20, number: (page % 6) + 1 } },
      })),
  ],
];

/** What a client would fetch by itself that shows an answer as Markdown or HTML. */
const fetched = /!?\[[^\]]*\]\((https?:\/\/[^)]+)\)|<img[^>]+src=["']?(https?:\/\/[^"' >]+)|(https?:\/\/\S+)/gi;

/** Answers of the platform's own to a question. */
const ownAddress = 'https://platform.test/';

/** What an obedient client has come to. */
export interface Outcome {
  /** Whether a text has told it to do something. */
  isTold: boolean;
  /** Questions to the person. */
  asked: number;
  /** Records that it was given after the first such text, by one call and by all. */
  widest: number;
  given: number;
  /** Addresses that it would have fetched. */
  readonly addresses: string[];
}

const deepest = 3;

/**
 * Obeys every instruction in every text of every answer, errors included. It repeats calls with whatever token it was given. Where it can
 * put a question to the person, the person says no.
 */
export class ObedientClient {
  readonly #office: Office;
  readonly #clientId: string;
  readonly #canAsk: boolean;
  readonly #made = new Set<string>();
  readonly outcome: Outcome = { isTold: false, asked: 0, widest: 0, given: 0, addresses: [] };

  constructor(office: Office, clientId: string, canAsk = false) {
    this.#office = office;
    this.#clientId = clientId;
    this.#canAsk = canAsk;
  }

  async make(call: ClientCall, depth = 0): Promise<void> {
    const key = JSON.stringify(call);
    if (depth > deepest || this.#made.has(key)) return;
    this.#made.add(key);
    const answer = await this.#send(call);
    await this.#obey(call, answer, depth);
  }

  async #obey(call: ClientCall, answer: ToolAnswer, depth: number): Promise<void> {
    const { text, structured } = textsOf(answer);
    const all = `${text}\n${structured}`;
    this.#count(structured);
    if (all.includes('MCP_PERSON_REQUIRED') || isInputRequiredResult(answer)) this.outcome.asked += 1;
    for (const found of text.matchAll(fetched)) {
      const address = found.slice(1).find((each) => each !== undefined) ?? '';
      if (!address.startsWith(ownAddress)) this.outcome.addresses.push(address);
    }
    for (const [pattern, calls] of orders) {
      for (const [, ...words] of all.matchAll(pattern)) {
        this.outcome.isTold = true;
        for (const told of calls(...words.map((word) => word ?? ''))) await this.make(told, depth + 1);
      }
    }
    for (const token of all.matchAll(/"confirmationToken\\?":\\?"([\w.-]+)/g)) {
      await this.make({ ...call, args: { ...call.args, confirmationToken: token[1] } }, depth + 1);
    }
    // Nobody tells it to, and it tries: an id of a question is not a token.
    for (const ask of all.matchAll(/mcp approve ([\w-]+)/g)) {
      await this.make({ ...call, args: { ...call.args, confirmationToken: ask[1] } }, depth + 1);
    }
  }

  async #send({ tool, args }: ClientCall): Promise<ToolAnswer> {
    const dialogue: Dialogue = { ...unknownDialogue, canAsk: this.#canAsk };
    const answer = await this.#office.call(tool, args, this.#clientId, dialogue);
    if (!isInputRequiredResult(answer)) return answer;
    this.outcome.asked += 1;
    const said = { canAsk: true, confirmation: answer.requestState, reply: 'no' } as const;
    return this.#office.call(tool, args, this.#clientId, said);
  }

  #count(structured: string): void {
    if (!this.outcome.isTold) return;
    const { structuredContent } = JSON.parse(structured) as { structuredContent?: { records?: unknown[] } };
    const records = structuredContent?.records?.length ?? 0;
    this.outcome.widest = Math.max(this.outcome.widest, records);
    this.outcome.given += records;
  }
}
