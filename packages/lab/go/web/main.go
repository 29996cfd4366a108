// Command web answers HTTP on port 8080 with the pod's name, one answer a connection, whatever was asked.
//
// Written on bare TCP: at a thousand new connections a second on a shared core an HTTP stack, or a process a
// connection, would be the bottleneck of what is measured. Whether it wants requests is to be asked on port 8081, which
// takes connections until SIGTERM; then it goes on to answer for LINGER_SECONDS (default 0), as a well-behaved server
// does while the way to it is taken away.
package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
)

const (
	address   = ":8080"
	readiness = ":8081"
	deadline  = 10 * time.Second
)

var endOfHead = []byte("\r\n\r\n")

func main() {
	go serve(listen(address), response(podName()))
	ready := listen(readiness)
	go welcome(ready)
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)
	<-terminated
	_ = ready.Close()
	seconds, _ := strconv.Atoi(os.Getenv("LINGER_SECONDS"))
	time.Sleep(time.Duration(seconds) * time.Second)
}

func listen(address string) net.Listener {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return listener
}

func welcome(ready net.Listener) {
	for {
		connection, err := ready.Accept()
		if err != nil {
			return
		}
		_ = connection.Close()
	}
}

func podName() string {
	if name := os.Getenv("POD_NAME"); name != "" {
		return name
	}
	name, _ := os.Hostname()
	return name
}

func response(body string) []byte {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
	return fmt.Appendf(nil, head, len(body), body)
}

func serve(listener net.Listener, answer []byte) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go converse(connection, answer)
	}
}

func converse(connection net.Conn, answer []byte) {
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(deadline))
	request := make([]byte, 0, 1024)
	chunk := make([]byte, 1024)
	for !bytes.Contains(request, endOfHead) {
		count, err := connection.Read(chunk)
		if err != nil || len(request) > 64*1024 {
			return
		}
		request = append(request, chunk[:count]...)
	}
	_, _ = connection.Write(answer)
}
