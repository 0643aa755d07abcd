import { describe, expect, it } from 'vitest';
import { type AgentState, createAgentStateHolder } from '#runtime/surfaces/request/agent-state';

const state = (): AgentState => ({
  under: () => state(),
  forPrograms: () => state(),
  model: {} as AgentState['model'],
  recordService: {} as AgentState['recordService'],
  authoriser: {} as AgentState['authoriser'],
  schemas: {} as AgentState['schemas'],
  actions: {} as AgentState['actions'],
  charts: {} as AgentState['charts'],
  ai: undefined,
});

describe('the served state', () => {
  it('is absent before the first', () => {
    expect(createAgentStateHolder().acquire()).toBeUndefined();
  });

  it('stays the same for a request while another is swapped in', async () => {
    const holder = createAgentStateHolder();
    const [first, second] = [state(), state()];
    await holder.swap(first);
    const inUse = holder.acquire();
    let isRetired = false;
    const retired = holder.swap(second).then(() => {
      isRetired = true;
    });
    expect(inUse?.state).toBe(first);
    expect(holder.acquire()?.state).toBe(second);
    await Promise.resolve();
    expect(isRetired).toBe(false);
    inUse?.release();
    inUse?.release();
    await retired;
    expect(isRetired).toBe(true);
  });
});
