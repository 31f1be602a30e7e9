// How long a thread has had a processor, by the kernel's own account.
//
// V8's profiler was tried first. It takes its samples only while an isolate is entered, and
// leaves out those whose signal comes late: of a Worker that spins for five milliseconds it
// saw less than four, and of one that answers at once a different part each time. The kernel
// counts in nanoseconds, and misses nothing, whatever machine code it is. What it cannot tell
// is whose work it was, so costs are told as differences, between two Workers in the same
// process.
//
// All Workers of a process run on its first thread. On others, V8 compiles anew what is used
// often, for as long as it finds something; that is left out, as no request waits for it.

import { readFileSync } from "node:fs";

/** The milliseconds of a processor that the first thread of a process has had since it began. */
export const spent = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;

/** The milliseconds of a processor that it has while `act` does something. */
export async function spentDuring(pid, act) {
  const before = spent(pid);
  await act();
  return spent(pid) - before;
}
