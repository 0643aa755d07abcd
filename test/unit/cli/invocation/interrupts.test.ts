import { describe, expect, it } from 'vitest';
import { handleInterrupts } from '#cli/invocation/interrupts';
import { createTerminal } from '#cli/terminal/terminal';
import { processEnvironment } from '#node/environment/process-environment';
import { createManualTime } from '../../../helpers/manual-time.ts';

function prepare() {
  let interrupt: (signal: NodeJS.Signals) => void = () => undefined;
  const exits: number[] = [];
  const environment = {
    ...processEnvironment,
    onInterrupt(listener: (signal: NodeJS.Signals) => void) {
      interrupt = listener;
      return () => undefined;
    },
    exit(code: number): never {
      exits.push(code);
      return undefined as never;
    },
  };
  const terminal = createTerminal(environment, { isJson: true, hasColor: false });
  const { timers, clock, pass } = createManualTime();
  const interrupts = handleInterrupts(environment, terminal, timers, clock);
  return { ...interrupts, exits, pass, interrupt: () => interrupt('SIGINT') };
}

describe('handleInterrupts', () => {
  it('tells the command, undoes what was registered, and ends the process with 130', async () => {
    const { invocation, end, exits, interrupt } = prepare();
    const undone: string[] = [];
    invocation.onInterrupt(async () => void undone.push('first'));
    const forget = invocation.onInterrupt(async () => void undone.push('forgotten'));
    forget();
    interrupt();
    expect(invocation.interrupted.aborted).toBe(true);
    await end();
    expect(undone).toEqual(['first']);
    expect(exits).toEqual([130]);
  });

  it('ends a command that serves with 0, and gives it the time that it asked for', async () => {
    const { invocation, end, exits, interrupt, pass } = prepare();
    invocation.serve(5000);
    const undoing = Promise.withResolvers<void>();
    invocation.onInterrupt(() => undoing.promise);
    interrupt();
    pass(4999);
    expect(exits).toEqual([]);
    undoing.resolve();
    await end();
    pass(1);
    expect(exits).toEqual([0]);
  });

  it('takes a second signal right after the first for the same one', async () => {
    const { end, exits, interrupt } = prepare();
    interrupt();
    interrupt();
    expect(exits).toEqual([]);
    await end();
    expect(exits).toEqual([130]);
  });

  it('ends the process at once on a signal that comes half a second later, while the undo still runs', () => {
    const { invocation, exits, interrupt, pass } = prepare();
    invocation.onInterrupt(() => new Promise(() => undefined));
    interrupt();
    pass(500);
    interrupt();
    expect(exits).toEqual([]);
    pass(1);
    interrupt();
    expect(exits).toEqual([130]);
  });

  it('ends the process by itself when undoing takes too long', async () => {
    const { invocation, exits, interrupt, pass } = prepare();
    invocation.onInterrupt(() => new Promise(() => undefined));
    interrupt();
    pass(949);
    expect(exits).toEqual([]);
    pass(1);
    expect(exits).toEqual([130]);
  });

  it('does nothing to a run that was not interrupted', async () => {
    const { end, exits } = prepare();
    await end();
    expect(exits).toEqual([]);
  });

  it('hands signals over to the program that runs in place of the command, until that has ended', async () => {
    const { invocation, end, exits, interrupt } = prepare();
    const taken: string[] = [];
    const takeBack = invocation.handOverSignals((signal) => void taken.push(signal));
    interrupt();
    interrupt();
    expect([taken, invocation.interrupted.aborted]).toEqual([['SIGINT', 'SIGINT'], false]);
    takeBack();
    interrupt();
    expect(invocation.interrupted.aborted).toBe(true);
    await end();
    expect(exits).toEqual([130]);
  });
});
