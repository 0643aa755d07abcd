import type { AcknowledgedEvent, AgentRepository } from './agent-repository.ts';

/** So many are written by one statement at most. */
const maxBatch = 500;

interface Waiting {
  readonly ack: AcknowledgedEvent;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Writes acknowledgements: those that arrive while others are written are one transaction together. */
export class Acknowledgements {
  readonly #agents: Pick<AgentRepository, 'acknowledge'>;
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(agents: Pick<AgentRepository, 'acknowledge'>) {
    this.#agents = agents;
  }

  /** Resolves when it is stored. */
  add(ack: AcknowledgedEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ack, resolve, reject });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, maxBatch);
      try {
        await this.#agents.acknowledge(batch.map(({ ack }) => ack));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isWriting = false;
  }
}
