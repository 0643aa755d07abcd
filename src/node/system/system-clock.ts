import type { Clock } from '#kernel/ports/clock';

export const systemClock: Clock = { now: Date.now, monotonicMs: performance.now.bind(performance) };
