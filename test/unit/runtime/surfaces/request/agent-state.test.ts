import { describe, expect, it } from 'vitest';
import { type AgentState, createAgentStateHolder } from '#runtime/surfaces/request/agent-state';

const state = (): AgentState => ({
  model: {} as AgentState['model'],
  recordService: {} as AgentState['recordService'],
  authoriser: {} as AgentState['authoriser'],
  actions: {} as AgentState['actions'],
  charts: {} as AgentState['charts'],
});

describe('the state requests see', () => {
  it('is none before the first', () => {
    expect(createAgentStateHolder().lease()).toBeUndefined();
  });

  it('stays the same for a request while another is swapped in', async () => {
    const holder = createAgentStateHolder();
    const [first, second] = [state(), state()];
    await holder.swap(first);
    const lease = holder.lease();
    let isRetired = false;
    const retired = holder.swap(second).then(() => {
      isRetired = true;
    });
    expect(lease?.state).toBe(first);
    expect(holder.lease()?.state).toBe(second);
    await Promise.resolve();
    expect(isRetired).toBe(false);
    lease?.release();
    lease?.release();
    await retired;
    expect(isRetired).toBe(true);
  });
});
