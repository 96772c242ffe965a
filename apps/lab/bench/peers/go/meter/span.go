// Package meter says what a server and its client have cost, as Linux counts it.
package meter

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Step is in milliseconds: the server's CPU time is that of its process, the client's that of this one.
type Step struct {
	ElapsedMs   float64 `json:"elapsedMs"`
	ServerCpuMs float64 `json:"serverCpuMs"`
	ClientCpuMs float64 `json:"clientCpuMs"`
}

// The unit of /proc, the same on every Linux there is.
const tickMs = 10

// Span is what a Step is measured over.
type Span struct {
	serverPid int
	at        time.Time
	before    Step
}

// Begin measures from now on.
func Begin(serverPid int) Span {
	return Span{serverPid, time.Now(), cpuOf(serverPid)}
}

// End measures until now.
func (s Span) End() Step {
	now := cpuOf(s.serverPid)
	return Step{
		ElapsedMs:   float64(time.Since(s.at).Microseconds()) / 1_000,
		ServerCpuMs: now.ServerCpuMs - s.before.ServerCpuMs,
		ClientCpuMs: now.ClientCpuMs - s.before.ClientCpuMs,
	}
}

func cpuOf(serverPid int) Step {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", serverPid))
	Must(err)
	// The second field is a name in brackets that may hold spaces; user and system time are the 14th and 15th.
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	ticks := 0
	for _, field := range fields[11:13] {
		each, err := strconv.Atoi(field)
		Must(err)
		ticks += each
	}
	var own syscall.Rusage
	Must(syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	return Step{ServerCpuMs: float64(ticks * tickMs), ClientCpuMs: milliseconds(own.Utime) + milliseconds(own.Stime)}
}

// MemoryOf gives the bytes of a process that are in memory.
func MemoryOf(pid int) int64 {
	rollup, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	Must(err)
	for line := range strings.Lines(string(rollup)) {
		if fields := strings.Fields(line); fields[0] == "Pss:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			Must(err)
			return kilobytes << 10
		}
	}
	return 0
}

func milliseconds(time syscall.Timeval) float64 {
	return float64(time.Sec)*1_000 + float64(time.Usec)/1_000
}
