package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Milliseconds. The server's CPU time is that of its process, the client's that of this one.
type step struct {
	ElapsedMs   float64 `json:"elapsedMs"`
	ServerCpuMs float64 `json:"serverCpuMs"`
	ClientCpuMs float64 `json:"clientCpuMs"`
}

// The unit of /proc, the same on every Linux there is.
const tickMs = 10

type span struct {
	serverPid int
	at        time.Time
	before    step
}

func begin(serverPid int) span {
	return span{serverPid, time.Now(), cpuOf(serverPid)}
}

func (s span) end() step {
	now := cpuOf(s.serverPid)
	return step{
		ElapsedMs:   float64(time.Since(s.at).Microseconds()) / 1_000,
		ServerCpuMs: now.ServerCpuMs - s.before.ServerCpuMs,
		ClientCpuMs: now.ClientCpuMs - s.before.ClientCpuMs,
	}
}

func cpuOf(serverPid int) step {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", serverPid))
	must(err)
	// The second field is a name in brackets that may hold spaces; user and system time are the 14th and 15th.
	text := string(stat)
	fields := strings.Fields(text[strings.LastIndex(text, ")")+1:])
	ticks := 0
	for _, field := range fields[11:13] {
		each, err := strconv.Atoi(field)
		must(err)
		ticks += each
	}
	var own syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	return step{ServerCpuMs: float64(ticks * tickMs), ClientCpuMs: milliseconds(own.Utime) + milliseconds(own.Stime)}
}

func milliseconds(time syscall.Timeval) float64 {
	return float64(time.Sec)*1_000 + float64(time.Usec)/1_000
}
