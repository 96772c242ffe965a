package meter

import (
	"encoding/json"
	"fmt"
	"os"
)

// Answer runs with the task that the program has got as its first argument, and says in a line of JSON what came of it.
func Answer[Task, Said any](run func(Task) Said) {
	var given Task
	Must(json.Unmarshal([]byte(os.Args[1]), &given))
	Must(json.NewEncoder(os.Stdout).Encode(run(given)))
}

// Must ends the program where there is an error: whoever runs it sees it failed.
func Must(err error) {
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
